import { type AccessPattern, counting, each4KB, each8KB, eachItem, pattern, type StoreCall } from './access-pattern.ts';

/** Questions about rules and their hits; see access-patterns.ts. */
export const rulePatterns = {
  'ruleHits.get': pattern('A rule hit', { get: ['ruleHit'] }, 1, 0),
  'ruleHits.tail': pattern('The newest hit of a customer', { query: ['ruleHit'] }, 0.5, 0),
  'ruleHits.window': pattern(
    'The first and the last hit id of the last 120 days, and so their number',
    { get: ['ruleHit'], query: ['ruleHit'] },
    2,
    0,
    'and 0.5 for each halving of the log while it holds older ones: 9 for 100,000',
  ),
  'ruleHits.range': pattern('A page of hits in the order of ids', { query: ['ruleHit'] }, 1, 0, each4KB),
  'ruleHits.some': pattern('Some hits by their ids', { batchGet: ['ruleHit'] }, 0.5, 0, eachItem),
  'ruleHits.idsOfSensor': pattern(
    'The ids of the hits of a sensor',
    { queryList: ['hitsOfSensor'] },
    0.5,
    0,
    'for 8 KB of their keys, about 70 hits; 5,000 at first, 20,000 at most',
  ),
  'ruleHits.changeDates': pattern(
    'The update dates of all hits of the last 120 days',
    { query: ['ruleHit'] },
    0.5,
    0,
    each8KB,
  ),
  'ruleHits.append': pattern(
    'Append a hit after the last one, once for its event and rule',
    { query: ['ruleHit'], put: ['ruleHit'] },
    0,
    2,
    'for each KB; when another took the place: 1 write, and 1 read for each 4 KB since',
  ),
  'ruleHits.report': pattern(
    'Report attempts to send a message of a hit',
    { update: ['ruleHit'] },
    0,
    1,
    'for each KB',
  ),

  'rules.get': pattern('A rule, by its id', { get: ['ruleById'] }, 1, 0),
  'rules.getAll': pattern('Some rules', { batchGet: ['wholeRule'] }, 1, 0, eachItem),
  'rules.list': pattern('The rules of a customer', { query: ['wholeRule'] }, 1, 0, each4KB),
  'rules.listed': pattern(
    'The fields by which the rules of a customer are sorted',
    { query: ['listedRule'] },
    1,
    0,
    'for each 4 KB: 20 to 40 rules',
  ),
  'rules.forSituation': pattern(
    'Which rules watch this situation of this sensor?',
    { query: ['rule'] },
    2,
    0,
    'for each 4 KB; 3 in a group',
  ),
  'rules.watchesGroup': pattern('Does a rule watch this group?', { query: ['rule'] }, 1, 0),
  'rules.create': pattern(
    'A new rule, if all that it names is there and its customer has room for it',
    counting({
      get: ['enabledRules'],
      put: ['rule', 'ruleById', 'wholeRule', 'listedRule', 'owner'],
      update: ['sensorGroup', 'enabledRules'],
      check: ['sensor', 'bot', 'webhook'],
    }),
    2,
    20,
    'with a sensor and one recipient',
  ),
  'rules.replace': pattern(
    'Replace a rule, and move it to where events look for it',
    counting({
      get: ['enabledRules'],
      put: ['ruleById', 'wholeRule', 'listedRule', 'rule'],
      update: ['sensorGroup', 'enabledRules'],
      remove: ['rule', 'enabledRules'],
      check: ['sensor', 'bot', 'webhook'],
    }),
    0,
    16,
    'with a sensor and one recipient; when it moves or is enabled, up to 3 read and 6 written more',
  ),
  'rules.remove': pattern(
    'Delete a rule',
    counting({
      get: ['enabledRules'],
      update: ['enabledRules'],
      remove: ['ruleById', 'wholeRule', 'listedRule', 'rule', 'owner', 'enabledRules'],
    }),
    2,
    14,
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
