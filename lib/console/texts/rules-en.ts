import { placeholders } from '#shared/domain/rule/rule-texts.ts';

type Summary = {
  situation: string;
  where: string;
  /** When the rule applies; '' if always. */
  when: string;
  recipients: string;
  /** The pause after a notification; '' if there is none. */
  pause: string;
};

export const rules = {
  title: 'Rules',
  create: 'New rule',
  empty: 'No rules yet. A rule defines who is notified about what, and how.',
  notFound: 'No rules found.',
  summaryTitle: 'What this rule does',
  summary: ({ situation, where, when, recipients, pause }: Summary) =>
    `“${situation}” ${where}${when && `, ${when},`} notifies ${recipients}${pause && `, then pauses for ${pause}`}.`,
  anySensor: 'at any sensor',
  atSensor: (name: string) => `at ${name}`,
  atRegion: (sensor: string, region: string) => `at ${sensor}, region ${region}`,
  atGroup: (name: string) => `at a sensor in the group ${name}`,
  scheduled: (days: string, from: string, to: string, zone: string) => `${days} from ${from} to ${to} (${zone})`,
  allDay: (days: string, zone: string) => `${days} all day (${zone})`,
  everyDay: 'every day',
  nobody: 'nobody yet',
  recipientCount: (count: number) => `${count} recipient${count === 1 ? '' : 's'}`,
  simulated: 'Simulated falls count too.',
  isDisabled: 'The rule is disabled and notifies nobody.',
  situation: 'Situation',
  scope: 'Sensors',
  scopes: { all: 'All sensors', group: 'A group', sensor: 'One sensor' },
  sensor: 'Sensor',
  group: 'Group',
  region: 'Region of the room',
  anyRegion: 'Whole room',
  noRegions: 'This room has no regions.',
  messageTitle: 'Message title',
  message: 'Message text',
  placeholders: `Placeholders: ${placeholders.map((name) => `{${name}}`).join(' ')}`,
  schedule: 'Only at certain times',
  days: 'Days',
  from: 'From',
  to: 'To',
  zone: 'Time zone',
  overMidnight: 'Runs past midnight and counts toward the day it starts on.',
  hours: 'Week view: shaded hours show when the rule applies',
  pause: 'Pause after a notification (seconds)',
  pauseHint: 'New falls are always reported.',
  withSimulated: 'Include simulated falls',
  isEnabled: 'Rule enabled',
  recipients: 'Recipients',
  recipientsHint: 'Bot webhooks and people',
  noRecipients: 'No bot has a webhook yet. Rules can also notify people.',
  needsRecipient: 'Choose at least one recipient.',
  onlyPeople: 'People only. Choosing webhooks requires the “Manage bots” permission.',
  person: 'Person',
  channel: 'Channel',
  addPerson: 'Add person',
  onDuty: 'People on duty',
  userWithId: (id: number) => `User ${id}`,
  step: (number: number) => `Step ${number}, if nobody acknowledges`,
  after: 'Seconds after the alarm',
  recipientsOfStep: 'Also notify',
  addStep: 'Add escalation step',
  removeStep: 'Remove step',
  repeat: 'Repeat interval (seconds)',
  repeatHint:
    'After the last step, everybody is notified again at this interval until somebody acknowledges, at most 20 times. Leave empty for no repeats.',
  untilAcknowledged: 'Continue until somebody acknowledges, even when the situation is over',
  stepSummary: (after: string, recipients: string) =>
    `If nobody has acknowledged after ${after}, it also notifies ${recipients}.`,
  repeatSummary: (interval: string) => `Then it notifies everybody again every ${interval}, at most 20 times.`,
  stopsWhenOver: 'It stops when the situation is over.',
  copy: 'Copy rule',
  copyOf: (name: string) => `${name} (copy)`,
  copied: 'Rule copied. Now make your changes.',
  test: 'Test rule',
  testHint: 'Sends a message starting with “Test:” to everybody the saved rule notifies, all steps at once.',
  immediately: 'immediately',
  atStep: (step: number) => `step ${step}`,
  resultHidden: 'sent; you cannot see the result',
  nobodyTested: 'Nobody was notified, because nobody is on duty.',
  deleteText: 'Its hits are kept, but it no longer notifies anybody.',
};
