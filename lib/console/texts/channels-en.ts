import type { Channel } from '#openapi';

type By = Channel['by'];

/** The English texts of the page where users say by what they are reached. */
export const channels = {
  explain: 'By what rules can tell you of alarms. Nobody but you sees or changes it.',
  kinds: { email: 'E-mail', sms: 'SMS', push: 'Push on this device', telegram: 'Telegram' } satisfies Record<
    By,
    string
  >,
  addresses: { email: 'E-mail address', sms: 'Mobile number', telegram: 'Id of the chat' },
  hints: {
    email: 'Where a mail reaches you at any time',
    sms: 'With the code of the country: +49 170 1234567',
    telegram: 'Start the bot of this service first, or add it to your group',
  },
  sendCode: 'Send a code there',
  code: 'Code',
  codeSent: 'Six digits that were sent there; good for 10 minutes',
  prove: 'Confirm',
  proven: 'Confirmed',
  provenNow: 'Confirmed: alarms can reach you there.',
  unproven: 'Waits for the code',
  removeText: 'Rules that tell you by this do not reach you any more.',
  pushExplain: 'Alarms appear on this device, also while the console is closed.',
  pushedTo: (host: string) => `Alarms are pushed to one device, by ${host}. Switching on here moves them to this one.`,
  switchOn: 'Switch on here',
  pushRefused: 'This browser did not allow it. Allow notifications of this page in its settings, and try again.',
  cannotPush: 'This browser cannot be pushed to. On an iPhone, add the console to the home screen first.',
  duty: 'On duty',
  onDuty: (until: string) => `You are on duty until ${until}.`,
  offDuty: 'You are not on duty.',
  hours: (count: number) => (count === 1 ? 'For 1 hour' : `For ${count} hours`),
  endDuty: 'Off duty now',
};
