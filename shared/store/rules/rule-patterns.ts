import { type AccessPattern, counting, each4KB, eachItem, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

const halvings =
  '0.5 for 4 KB of them; 0.5 for each halving of the list while it holds expired ones (9 for 100,000); by updateDate 0.5 for ' +
  '80 late changes, and 0.5 for each halving of their number';

/** Questions about rules and their hits; see access-patterns.ts. */
export const rulePatterns = {
  'ruleHits.get': pattern('A rule hit', { get: ['ruleHit'] }, [1, 0]),
  'ruleHits.tail': pattern('The newest hit of a customer', { query: ['ruleHit'] }, [0.5, 0]),
  'acknowledgements.make': pattern(
    'Acknowledge a hit, if nobody has, with the notice of it',
    { get: ['ruleHit'], update: ['ruleHit'], put: ['lateChange', 'notice'] },
    [1, 7],
    '0 written when somebody has',
  ),
  'acknowledgements.takeBack': pattern(
    'Take an acknowledgement back',
    { get: ['ruleHit'], update: ['ruleHit'], put: ['lateChange'] },
    [1, 4],
  ),
  'escalations.open': pattern(
    'Decide a round of the escalation of a hit, with its messages',
    { update: ['ruleHit'], put: ['lateChange'] },
    [0, 4],
    '2 for each KB of the hit, and 2',
  ),
  'escalations.goOn': pattern(
    'Note when the next round of a hit is due, or that there is none',
    { update: ['ruleHit'] },
    [0, 3],
    'for each KB, and 2 in the index; 1 when it ends',
  ),
  'escalations.rest': pattern(
    'Look no more at the escalation of an acknowledged hit',
    { update: ['ruleHit'] },
    [0, 2],
    'for each KB, and 1 in the index',
  ),
  'hitLists.page': pattern(
    'A page of the hits of a customer, in any order, and how many there are',
    { get: ['ruleHit'], batchGet: ['ruleHit'], query: ['ruleHit', 'lateChange'] },
    [3.5, 0],
    halvings,
  ),
  'hitLists.pageOfSensor': pattern(
    'A page of the hits of a sensor, in any order, and how many there are',
    { get: ['ruleHit'], batchGet: ['ruleHit'], query: ['lateChange'], queryList: ['hitsOfSensor'] },
    [3, 0],
    `0.5 for each hit of the page; ${halvings}`,
  ),
  'reports.hits': pattern(
    'What the hits of a customer within a span say',
    { get: ['ruleHit'], query: ['ruleHit'] },
    [3, 0],
    '0.5 for each 4 KB of them, and for each halving of the list to find its ends',
  ),
  'reports.feedback': pattern(
    'The feedback that was given on a sensor since a time',
    { query: ['feedback'] },
    [0.5, 0],
    'for each 4 KB of it',
  ),
  'ruleHits.append': pattern(
    'Append a hit after the last one, once for its event and rule',
    { query: ['ruleHit'], put: ['ruleHit'] },
    [0, 2],
    'for each KB; when another took the place: 1 write, and 1 read for each 4 KB since',
  ),
  'ruleHits.report': pattern(
    'Report attempts to send a message of a hit',
    { get: ['ruleHit'], update: ['ruleHit'], put: ['lateChange'] },
    [0, 1],
    'for each KB; more than 10 s after the hit: 1 read and 5 written',
  ),

  'rules.get': pattern('A rule, by its id', { get: ['ruleById'] }, [1, 0]),
  'rules.getAll': pattern('Some rules', { batchGet: ['wholeRule'] }, [1, 0], eachItem),
  'rules.list': pattern('The rules of a customer', { query: ['wholeRule'] }, [1, 0], each4KB),
  'rules.listed': pattern(
    'The fields by which the rules of a customer are sorted',
    { query: ['listedRule'] },
    [1, 0],
    'for each 4 KB: 20 to 40 rules',
  ),
  'rules.forSituation': pattern(
    'Which rules watch this situation of this sensor?',
    { query: ['rule'] },
    [2, 0],
    'for each 4 KB; 3 in a group',
  ),
  'rules.watchesGroup': pattern('Does a rule watch this group?', { query: ['rule'] }, [1, 0]),
  'rules.namingRegions': pattern('Which rules name a region of this sensor?', { query: ['rule'] }, [1, 0], each4KB),
  'rules.create': pattern(
    'A new rule, if all that it names is there and its customer has room for it',
    counting({
      get: ['enabledRules', 'sensor', 'room'],
      put: ['rule', 'ruleById', 'wholeRule', 'listedRule', 'owner'],
      update: ['sensorGroup', 'enabledRules'],
      updateOnly: { sensor: ['revision'] },
      check: ['sensor', 'bot', 'webhook'],
    }),
    [2, 20],
    'with a sensor and one recipient; 2 read more with a region',
  ),
  'rules.replace': pattern(
    'Replace a rule, and move it to where events look for it',
    {
      get: ['enabledRules', 'sensor', 'room'],
      put: ['ruleById', 'wholeRule', 'listedRule', 'rule'],
      update: ['sensorGroup', 'enabledRules'],
      updateOnly: { sensor: ['revision'] },
      remove: ['rule', 'enabledRules'],
      check: ['customer', 'sensor', 'bot', 'webhook'],
    },
    [0, 16],
    'with a sensor and one recipient; when it moves or is enabled, up to 3 read and 6 written more; 2 read more with a region',
  ),
  'rules.setRecipients': pattern(
    'Replace whom a rule tells',
    { put: ['ruleById', 'wholeRule', 'listedRule', 'rule'] },
    [0, 8],
  ),
  'rules.remove': pattern(
    'Delete a rule',
    counting({
      get: ['enabledRules'],
      update: ['enabledRules'],
      remove: ['ruleById', 'wholeRule', 'listedRule', 'rule', 'owner', 'enabledRules'],
    }),
    [2, 14],
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
