/** Texts about the second factor of a login. */
export const otp = {
  title: 'Second factor',
  explain: 'With a second factor, a login needs a code of an authenticator app on your phone besides the password.',
  begin: 'Set up the second factor',
  scan: 'Scan the picture with your authenticator app, or type its secret. Then enter the code that the app shows.',
  picture: 'QR code for the authenticator app',
  secret: 'Secret',
  code: 'Code',
  appCode: 'Code of your app, or a recovery code',
  codeNeeded: 'Enter the code that your authenticator app shows, too.',
  switchOn: 'Switch it on',
  codes: 'Recovery codes',
  keepCodes:
    'Keep these codes where you find them without your phone. Each takes the place of one code. They are shown only this once.',
  kept: 'I have kept them',
  isOn: 'The second factor is on. If you have another phone, remove it, and set it up anew.',
  remove: 'Remove the second factor',
  removed: 'The second factor is removed. Log in with your password.',
  demanded: 'Your customer demands a second factor. Set it up to go on.',
  lost: 'The user logs in with a code of an authenticator app. Whoever has lost it needs this, and logs in with the password alone then.',
  lostRemoved: 'The second factor is removed; all sessions of the user have ended.',
};
