/** Texts about the second factor of logins and about sessions. */
export const otp = {
  title: 'Second factor',
  explain:
    'With a second factor, you log in with your password and a code from an authenticator app on your phone.',
  begin: 'Set up second factor',
  scan: 'Scan this QR code with your authenticator app, or enter the secret by hand. Then enter the code that the app shows.',
  picture: 'QR code for the authenticator app',
  secret: 'Secret',
  code: 'Code',
  turnOn: 'Turn on',
  codes: 'Recovery codes',
  keepCodes:
    'Keep these codes where you can find them without your phone. Each works once in place of a code from the app. They will not be shown again.',
  codesSaved: 'I have saved them',
  isOn: 'The second factor is on. To use another phone, remove it and set it up again.',
  remove: 'Remove second factor',
  removed: 'Second factor removed. Log in with your password.',
  required: 'Your customer requires a second factor. Set it up to continue.',
  removeHint:
    'This user logs in with a code from an authenticator app. If the app is lost, remove the second factor; the password alone is enough then.',
  removedForUser: 'Second factor removed. All sessions of this user have ended.',
  sessions: 'Sessions',
  since: 'Logged in',
  address: 'IP address',
  browser: 'Browser',
  thisOne: 'This session',
  end: 'End session',
  ended: 'Session ended.',
  noSessions: 'No sessions.',
};
