import type { Channel } from '#openapi';

/** English texts for the user's channels page. */
export const channels = {
  explain: 'How rules can notify you of alarms. Only you can see and change this.',
  kinds: { email: 'Email', sms: 'SMS', push: 'Push on this device', telegram: 'Telegram' } satisfies Record<
    Channel['by'],
    string
  >,
  addresses: { email: 'Email address', sms: 'Mobile number', telegram: 'Chat ID' },
  hints: {
    email: 'An address where you see new mail right away',
    sms: 'With country code: +49 170 1234567',
    telegram: "Start this service's bot first, or add it to your group",
  },
  sendCode: 'Send code',
  code: 'Code',
  codeSent: 'The six digits that we sent you; valid for 10 minutes',
  confirm: 'Confirm',
  confirmed: 'Confirmed',
  confirmedNow: 'Confirmed. Alarms can reach you there now.',
  unconfirmed: 'Not confirmed yet',
  removeText: 'Rules can no longer notify you this way.',
  pushExplain: 'Alarms appear on this device, even while the console is closed.',
  outbox: 'This server only writes these messages to files. They reach nobody.',
  pushedTo: (host: string) =>
    `Push notifications go to one device only, currently via ${host}. Turn them on here to move them to this device.`,
  turnOn: 'Turn on push here',
  pushRefused: 'Notifications are blocked. Allow them for this page in the settings of your browser, then try again.',
  cannotPush:
    'This browser does not support push notifications. On an iPhone, add the console to the home screen first.',
  undeliverable: 'Undeliverable',
  undeliverableAt: (date: string, reason: string) =>
    `A message did not arrive (reported ${date}): ${reason}. Alarms are still sent here. Correct the address, or send a code to confirm that it works again.`,
  undeliverableBy: (kind: string, date: string, reason: string) => `${kind} undeliverable since ${date}: ${reason}`,
  duty: 'On duty',
  onDuty: (until: string) => `You are on duty until ${until}.`,
  offDuty: 'You are not on duty.',
  hours: (count: number) => (count === 1 ? 'For 1 hour' : `For ${count} hours`),
  endDuty: 'Go off duty',
};
