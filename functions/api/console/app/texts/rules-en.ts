type Said = {
  situation: string;
  where: string;
  /** When the rule applies; empty when it always does. */
  when: string;
  whom: string;
  /** The rate limit of the rule; empty when it has none. */
  rest: string;
};

export const rules = {
  title: 'Rules',
  create: 'New rule',
  empty: 'No rule yet. A rule says which situation of which sensors tells whom what.',
  notFound: 'No rule was found.',
  sentence: 'What the rule says',
  says: ({ situation, where, when, whom, rest }: Said) =>
    `“${situation}” ${where}${when && `, ${when},`} tells ${whom}${rest && `, and then not again for ${rest}`}.`,
  ofAll: 'at any sensor',
  ofSensor: (name: string) => `at ${name}`,
  ofRegion: (sensor: string, region: string) => `at ${sensor}, region ${region}`,
  ofGroup: (name: string) => `at a sensor of the group ${name}`,
  scheduled: (days: string, from: string, to: string, zone: string) => `${days} from ${from} to ${to} (${zone})`,
  allDay: (days: string, zone: string) => `${days} all day (${zone})`,
  everyDay: 'every day',
  nobody: 'nobody yet',
  somebody: (count: number) => `${count} recipient${count === 1 ? '' : 's'}`,
  simulated: 'Simulated ones count, too.',
  isOff: 'The rule is switched off: it tells nobody.',
  situation: 'Situation',
  scope: 'Which sensors',
  scopes: { all: 'All sensors', group: 'A group', sensor: 'One sensor' },
  sensor: 'Sensor',
  group: 'Group',
  region: 'Region of its room',
  anyRegion: 'The whole room',
  noRegions: 'Its room has no regions.',
  messageTitle: 'Title of the message',
  message: 'Message',
  newMessage: '{situation} at {time}, {location}',
  placeholders: 'Filled in: {sensor} {region} {location} {time} {situation}',
  schedule: 'Only at certain times',
  days: 'Days',
  from: 'From',
  to: 'To',
  zone: 'Time zone',
  overMidnight: 'It runs over midnight, and belongs to the day on which it begins.',
  hours: 'Week: shaded is when the rule holds',
  rest: 'Not again for (seconds)',
  restHint: 'A new fall is told all the same.',
  withSimulated: 'Simulated falls count, too',
  isEnabled: 'The rule is switched on',
  recipients: 'Recipients',
  recipientsHint: 'Webhooks of bots, and people',
  noRecipients: 'No bot has a webhook yet. A rule can tell people as well.',
  needsRecipient: 'Choose at least one.',
  mayNotChoose: 'People. Who may manage bots chooses webhooks.',
  person: 'Person',
  way: 'In which way',
  addPerson: 'Add',
  onDuty: 'Whoever is on duty',
  aUser: (id: number) => `User ${id}`,
  deleteText: 'What it reported stays; from now on it reports nothing.',
};
