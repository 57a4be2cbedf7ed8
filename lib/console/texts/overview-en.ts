const plural = (count: number, singular: string, many: string): string => `${count} ${count === 1 ? singular : many}`;

/** The English texts of the overview. */
export const overview = {
  title: 'Station',
  alarms: 'Open alarms',
  noAlarm: 'No open alarms.',
  nobodyDown: 'Nobody detected on the floor.',
  asOf: (time: string) => `As of ${time}`,
  outdated: (time: string, ago: string) =>
    `This page is out of date. It shows the state at ${time} (${ago}); anything since then is missing.`,
  outdatedTitle: 'Out of date',
  noNetwork: 'This browser has no network connection.',
  updatesByItself: 'The page updates by itself once the service can be reached.',
  truncated: 'Only the latest 1,000 rule hits are checked here. An older alarm may still be open.',
  moreFalls: (count: number) => `${plural(count, 'more sensor detects', 'more sensors detect')} somebody on the floor.`,
  since: (time: string) => `since ${time}`,
  sensitive: 'Sensitive detection',
  simulated: 'Simulated',
  notified: 'Notified',
  notifiedAt: (time: string, attempts: number) =>
    attempts > 1 ? `notified at ${time} (attempt ${attempts})` : `notified at ${time}`,
  notNotifiedYet: 'not notified yet',
  notNotified: (attempts: number, time: string) =>
    `not notified: ${plural(attempts, 'attempt', 'attempts')}, last at ${time}`,
  nobodyNotified: 'No rule notified anybody.',
  someone: 'Somebody',
  onItSince: (time: string) => `is on it (since ${time})`,
  acknowledgedAt: (time: string) => `acknowledged it at ${time}`,
  cannotGo: "I can't go",
  reopened: 'The alarm is open again.',
  outcome: 'Outcome',
  noOutcome: 'No outcome recorded',
  acknowledged: 'Somebody is on it',
  closed: 'Closed in the last 12 hours',
  noneClosed: 'No alarms closed in the last 12 hours.',
  sound: 'Sound for new alarms',
  soundBlocked: 'Your browser blocks sound. Click anywhere on this page, or press a key.',
  unwatched: 'Not everything is monitored',
  offlineRooms: (offline: number, all: number) =>
    `${offline} of ${plural(all, 'room', 'rooms')} ${offline === 1 ? 'is not monitored: its sensor is' : 'are not monitored: their sensors are'} offline.`,
  andMore: (count: number) => `and ${count} more`,
  hours: (days: string, from: string, to: string) => (from === to ? `${days}, all day` : `${days}, ${from} to ${to}`),
  checkedAt: (time: string) => `Checked at ${time}; this takes place once a minute.`,
  ruleReachesNobody: 'This fall rule reaches nobody. Check its webhooks and the channels of the people it notifies.',
  watchUnknown: 'Could not check whether everything is monitored.',
  webhookProblems: 'Webhook problems',
  disabledByService: 'was disabled by the service',
  failedPermanently: (count: number, time: string) =>
    count === 1
      ? `1 delivery failed permanently (${time})`
      : `${count} deliveries failed permanently (latest: ${time})`,
  markSeen: 'Mark as seen',
  sensors: 'Sensors',
  failing: 'Failing webhooks',
  noFailing: 'All webhooks are healthy.',
  failures: (count: number) => plural(count, 'failure', 'failures'),
  disabled: 'Disabled',
};
