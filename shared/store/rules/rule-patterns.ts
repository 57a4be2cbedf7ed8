import { type AccessPattern, pattern, per4KB, perItem, withCount } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

const searchUnits =
  '0.5 per 4 KB of hits; while the list holds expired hits, 0.5 per binary search step (9 for 100,000); by ' +
  'updateDate, 0.5 per 80 late changes and per step when searching these';

/** Access patterns for rules and their hits. */
export const rulePatterns = {
  'ruleHits.get': pattern('A rule hit', { get: ['ruleHit'] }, [1, 0]),
  'ruleHits.lastPlace': pattern("A customer's newest hit", { query: ['ruleHit'] }, [0.5, 0]),
  'acknowledgements.make': pattern(
    'Acknowledge a hit and the fall, if nobody has, with a notice',
    {
      get: ['ruleHit', 'fallAnswer'],
      update: ['ruleHit', 'fallAnswer'],
      put: ['lateChange', 'notice', 'auditLine'],
      remove: ['unnotified'],
      check: ['fallAnswer'],
    },
    [1, 7],
    '0 W if someone has; 2 W more for a fall, 2 W with an audit line; 3 W more if nobody was notified',
  ),
  'acknowledgements.withdraw': pattern(
    "Withdraw a hit acknowledgement, and the fall's",
    {
      get: ['ruleHit', 'fallAnswer'],
      update: ['ruleHit', 'fallAnswer'],
      put: ['lateChange', 'notice'],
      check: ['fallAnswer'],
    },
    [1, 4],
    '5 W more for a fall',
  ),
  'falls.ofEvent': pattern('The fall an event is about', { get: ['message', 'event'] }, [2, 0]),
  'falls.ofAlarm': pattern('What people did about an alarm without a rule', { get: ['message', 'event'] }, [2, 0]),
  'falls.acknowledge': pattern(
    'Acknowledge a fall, if nobody has, with a notice',
    { get: ['fallAnswer'], update: ['fallAnswer'], put: ['notice'] },
    [1, 5],
    '0 W if someone has',
  ),
  'falls.close': pattern(
    'Close a fall, and acknowledge it if nobody has, with a notice',
    { get: ['fallAnswer'], update: ['fallAnswer'], put: ['notice'] },
    [1, 5],
    '0 W if nothing changes',
  ),
  'falls.withdraw': pattern(
    'Withdraw a fall acknowledgement, with a notice',
    { get: ['fallAnswer'], update: ['fallAnswer'], put: ['notice'] },
    [1, 5],
  ),
  'fallAnswers.get': pattern('What people did about a fall', { get: ['fallAnswer'] }, [1, 0]),
  'fallAnswers.recordAlarm': pattern(
    'Record an alarm about a fall that alarmed again',
    { get: ['fallAnswer'], update: ['fallAnswer'] },
    [1, 1],
    '0 W if already recorded',
  ),
  'fallAnswers.settle': pattern(
    "Apply a fall's acknowledgement or closure to its alarms",
    {
      get: ['fallAnswer'],
      query: ['ruleHit', 'unnotified'],
      update: ['ruleHit'],
      put: ['lateChange'],
      remove: ['unnotified'],
      check: ['fallAnswer'],
    },
    [2, 0],
    '1 R per 4 KB of hits since the fall; 1 R more if the fall is acknowledged; 6 W per changed hit, 3 W more if ' +
      'nobody was notified',
  ),
  'fallAnswers.unanswered': pattern(
    "The alarms among an unacknowledged fall's events",
    { get: ['fallAnswer'], query: ['event', 'ruleHit'] },
    [2, 0],
    '1 R per 4 KB of events in two hours; 1 R per 4 KB of hits since the fall',
  ),
  'escalations.open': pattern(
    "Decide a round in a hit's escalation, with notifications",
    { update: ['ruleHit'], put: ['lateChange'] },
    [0, 4],
    '2 per KB of the hit, plus 2',
  ),
  'escalations.scheduleRound': pattern(
    "Record when a hit's next round is due, or that none is",
    { update: ['ruleHit'] },
    [0, 3],
    'per KB, plus 2 in the index; 1 if it ends',
  ),
  'escalations.removeFromDue': pattern(
    'Remove an acknowledged hit from the due index',
    { update: ['ruleHit'] },
    [0, 2],
    'per KB, plus 1 in the index',
  ),
  'unnotified.list': pattern(
    "A customer's alarms that nobody was notified of",
    { query: ['unnotified'] },
    [1, 0],
    'per 4 KB (about 10 alarms)',
  ),
  'alarmRecords.record': pattern(
    'Record that an alarm reached nobody, with a notice',
    { put: ['unnotified', 'notice'], update: ['ruleHit'], get: ['unnotified'], check: ['fallAnswer'] },
    [0, 8],
    'with the hit; 1 R more if already recorded',
  ),
  'alarmRecords.recordUnanswered': pattern(
    'Record that nobody acknowledged an alarm, with a notice',
    { put: ['unnotified', 'notice', 'lateChange'], update: ['ruleHit'] },
    [0, 10],
    '2 more per KB of the hit',
  ),
  'alarmRecords.finish': pattern('Record that the follow-up is done', { update: ['unnotified'] }, [0, 1]),
  'unnotified.claim': pattern('Claim such an alarm, to send emails about it', { update: ['unnotified'] }, [0, 3]),
  'unnotified.recordReport': pattern('Record that the operators know about it', { update: ['unnotified'] }, [0, 1]),
  'unnotified.update': pattern('Record which emails were sent about it', { update: ['unnotified'] }, [0, 3]),
  'eventAlarms.end': pattern("End an event's alarm", { remove: ['unnotified'] }, [0, 2], '1 if there is none'),
  'hitLists.page': pattern(
    "A page of a customer's hits in any order, with the total",
    { get: ['ruleHit'], batchGet: ['ruleHit'], query: ['ruleHit', 'lateChange'] },
    [3.5, 0],
    searchUnits,
  ),
  'hitLists.pageOfSensor': pattern(
    "A page of a sensor's hits in any order, with the total",
    { get: ['ruleHit'], batchGet: ['ruleHit'], query: ['lateChange'], queryList: ['hitsOfSensor'] },
    [3, 0],
    `0.5 per hit on the page; ${searchUnits}`,
  ),
  'alarmLists.page': pattern(
    "A page of a customer's alarms, newest first",
    {
      get: ['ruleHit', 'message', 'event'],
      batchGet: ['ruleHit', 'fallAnswer', 'delivery'],
      query: ['ruleHit', 'event', 'feedback'],
      queryList: ['alarmsWithoutRule', 'hitsOfSensor'],
    },
    [3, 0],
    '0.5 per 4 KB of hits, per 9 events about each fall, and per 20 alarms without a rule; up to 1 more for each of ' +
      'those; for each one nobody was notified of, 0.5 per customer webhook; as in `hitLists` for the ends of a time ' +
      'range',
  ),
  'hitLists.latestChanges': pattern(
    "Has one of a customer's hits been created or changed?",
    { query: ['ruleHit', 'lateChange'] },
    [1, 0],
    "0.5 per two hits in the last 15 s, and per 40 late changes to the last day's hits",
  ),
  'hitLists.lastChanged': pattern(
    "A customer's most recently changed hits",
    { query: ['ruleHit'], batchGet: ['ruleHit'] },
    [0.5, 0],
    'per 4 KB of the newest hits; 0.5 per hit that is not among them',
  ),
  'reports.hits': pattern(
    "Report data from a customer's hits in a time range",
    { get: ['ruleHit'], query: ['ruleHit'] },
    [3, 0],
    '0.5 per 4 KB of hits, and per binary search step for both ends',
  ),
  'reports.fallsWithoutRule': pattern(
    "Report data from a customer's falls for which no rule fired",
    { queryList: ['alarmsWithoutRule'], batchGet: ['fallAnswer'] },
    [0.5, 0],
    'per 4 KB (about 20 falls); 0.5 per fall',
  ),
  'reports.feedback': pattern('Feedback on a sensor since a time', { query: ['feedback'] }, [0.5, 0], 'per 4 KB'),
  'ruleHits.append': pattern(
    'Append a hit to the list, once per event and rule',
    { query: ['ruleHit'], put: ['ruleHit', 'lateChange'] },
    [0, 2],
    'per KB; if another hit took the place, 1 W more, and 1 R per 4 KB since then; after a hit with a later date, in ' +
      'a transaction with 2 W more',
  ),
  'hitReports.report': pattern(
    "Record attempts to send a hit's notification",
    { get: ['ruleHit'], update: ['ruleHit'], put: ['lateChange'], remove: ['unnotified'] },
    [0, 1],
    'per KB; 1 R 5 W if more than 10 s after the hit, 3 W more if nobody was notified',
  ),
  'hitReports.reportUndeliverable': pattern(
    "Record that a hit's notification did not arrive",
    { get: ['ruleHit'], update: ['ruleHit'], put: ['lateChange'] },
    [1, 4],
    'per KB',
  ),

  'rules.get': pattern('A rule, by id', { get: ['ruleById'] }, [1, 0]),
  'rules.getAll': pattern('Some rules', { batchGet: ['wholeRule'] }, [1, 0], perItem),
  'rules.list': pattern("A customer's rules", { query: ['wholeRule'] }, [1, 0], per4KB),
  'rules.sortFields': pattern(
    "Sort fields for a customer's rules",
    { query: ['listedRule'] },
    [1, 0],
    'per 4 KB (20 to 40 rules)',
  ),
  'rules.forSituation': pattern(
    'Which rules apply to this situation at this sensor?',
    { query: ['rule'] },
    [2, 0],
    'per 4 KB; 3 if the sensor is in a group',
  ),
  'rules.isGroupInUse': pattern('Does any rule apply to this group?', { query: ['rule'] }, [1, 0]),
  'rules.ofRegions': pattern("Which rules name one of this sensor's regions?", { query: ['rule'] }, [1, 0], per4KB),
  'rules.create': pattern(
    "Create a rule within the customer's quota, if everything it refers to exists",
    withCount({
      get: ['enabledRules', 'sensor', 'room'],
      put: ['rule', 'ruleById', 'wholeRule', 'listedRule', 'owner'],
      update: ['sensorGroup', 'enabledRules'],
      updateOnly: { sensor: ['revision'] },
      check: ['sensor', 'bot', 'webhook'],
    }),
    [2, 20],
    'with a sensor and one recipient; 2 R more with a region',
  ),
  'rules.replace': pattern(
    'Replace a rule, and move it to a new scope',
    {
      get: ['enabledRules', 'sensor', 'room'],
      put: ['ruleById', 'wholeRule', 'listedRule', 'rule'],
      update: ['sensorGroup', 'enabledRules'],
      updateOnly: { sensor: ['revision'] },
      remove: ['rule', 'enabledRules'],
      check: ['customer', 'sensor', 'bot', 'webhook'],
    },
    [0, 16],
    'with a sensor and one recipient; up to 3 R 6 W more if it moves or is enabled; 2 R more with a region',
  ),
  'rules.setRecipients': pattern(
    "Replace a rule's recipients",
    { put: ['ruleById', 'wholeRule', 'listedRule', 'rule'] },
    [0, 8],
  ),
  'rules.remove': pattern(
    'Delete a rule',
    withCount({
      get: ['enabledRules'],
      update: ['enabledRules'],
      remove: ['ruleById', 'wholeRule', 'listedRule', 'rule', 'owner', 'enabledRules'],
    }),
    [2, 14],
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
