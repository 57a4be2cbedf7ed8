import {
  type AccessPattern,
  counting,
  each4KB,
  each8KB,
  eachItem,
  orAbsent,
  pattern,
  type StoreCall,
} from './access-pattern.ts';
import { deliveryPatterns } from './delivery-patterns.ts';
import { identityPatterns } from './identity-patterns.ts';
import { sensorPatterns } from './sensor-patterns.ts';

/**
 * Every question that is asked of the table. A call that is missing here does not compile; test/table.test.ts makes
 * each call and compares the keys and the units.
 */
export const accessPatterns: Readonly<Record<StoreCall, AccessPattern>> = {
  ...identityPatterns,
  ...deliveryPatterns,

  'alive.ask': pattern('Does the table answer?', { get: ['health'] }, 0.5, 0),

  'bots.get': pattern('A bot', { get: ['bot'] }, 1, 0),
  'bots.list': pattern('The bots of a customer', { query: ['bot'] }, 1, 0, each4KB),
  'bots.create': pattern('A new bot, if its customer has room for it', counting({ put: ['bot', 'owner'] }), 1, 6),
  'bots.update': pattern('A new name and language of a bot', { update: ['bot'] }, 0, 1),
  'bots.remove': pattern('A bot takes no webhooks any more', counting({ remove: ['bot'] }), 1, 4),
  'bots.forget': pattern('The id of a bot leads nowhere any more', { remove: ['owner'] }, 0, 1),

  'configs.get': pattern('A configuration of a sensor', { get: ['config'] }, 1, 0),
  'configs.list': pattern('All configurations of a sensor', { query: ['config'] }, 1, 0, each4KB),
  'configs.put': pattern(
    'A configuration, and what the sensor keeps of it',
    { get: ['sensor'], put: ['config'], update: ['sensor', 'firmwarePins'] },
    1,
    8,
    '0 and 4 when the sensor keeps nothing of it and no pin of a firmware moves',
  ),

  'customers.get': pattern('A customer, and its webhooks that get every event', { get: ['customer'] }, 1, 0),
  'customers.list': pattern('All customers', { query: ['listedCustomer'] }, 1, 0, each4KB),
  'customers.ownerOf': pattern('Whose is this id? (system admins, devices)', { get: ['owner'] }, 1, 0),
  'customers.create': pattern('A new customer', { put: ['customer', 'listedCustomer'] }, 0, 4),
  'customers.update': pattern(
    'A new name, location and address of a customer',
    { get: ['customer'], update: ['customer', 'listedCustomer'] },
    1,
    4,
  ),
  'customers.remove': pattern(
    'A customer without users and sensors is gone',
    { get: ['customer'], remove: ['customer', 'listedCustomer'] },
    0,
    4,
    'read 1 if not',
  ),

  'due.beat': pattern(
    'The service is there; where does its sweep begin?',
    { get: ['heartbeat'], put: ['heartbeat'] },
    1,
    1,
  ),
  'due.leave': pattern('Where does the next sweep go on?', { update: ['heartbeat'] }, 0, 1),
  'due.upSince': pattern('Since when is the service there without a gap?', { get: ['heartbeat'] }, 1, 0),
  'due.waiting': pattern('What waits since before a time?', { queryDue: ['shard'] }, 16, 0, each8KB),

  'events.get': pattern(
    'An event with its bytes',
    { get: ['message', 'event'] },
    2,
    0,
    'for each 4 KB; 1 more to look up the message of a further event',
  ),
  'events.bytes': pattern('The bytes of a message', { get: ['message'] }, 0.5, 0, `for each 4 KB; ${orAbsent}`),
  'events.list': pattern(
    'The events of a sensor, 120 days, newest first',
    { query: ['event'], batchGet: ['message'] },
    1,
    0,
    'for each 8 KB of events, 1,000 at first, 4,000 at most; 0.5 for the message of each event shown',
  ),
  'events.isCarriedOut': pattern('Is a decision carried out?', { get: ['event'] }, 0.5, 0, orAbsent),
  'events.keep': pattern('A message that makes an event, once', { put: ['message'] }, 0, 1, 'for each KB'),
  'events.add': pattern(
    'The events of a decision, once',
    { put: ['event', 'message'] },
    0,
    1,
    'for each; 1 more for each that has another uuid than its message',
  ),
  'events.notice': pattern('Is this to be told of a sensor?', { get: ['notice'] }, 1, 0),
  'events.keepNotice': pattern('Something to tell of a sensor', { put: ['notice'] }, 0, 2),
  'events.endNotice': pattern('It is told', { remove: ['notice'] }, 0, 2),

  'firmwares.get': pattern('A firmware', { get: ['firmware'] }, 1, 0),
  'firmwares.list': pattern(
    'The firmwares of a manufacturer, and its default',
    { get: ['firmwareDefault'], query: ['firmware'] },
    2,
    0,
    each4KB,
  ),
  'firmwares.defaultOf': pattern('Which firmware is the default?', { get: ['firmwareDefault'] }, 1, 0),
  'firmwares.create': pattern(
    'A new firmware',
    { put: ['firmware', 'firmwareDefault'] },
    0,
    4,
    '1 when it is not the default',
  ),
  'firmwares.setDefault': pattern('Another default firmware', { put: ['firmwareDefault'], check: ['firmware'] }, 0, 4),
  'firmwares.remove': pattern(
    'A firmware goes, if it is neither the default nor pinned',
    { remove: ['firmware'], check: ['firmwareDefault', 'firmwarePins'] },
    0,
    6,
  ),

  'provisioning.byHash': pattern('A provisioning key', { get: ['provisioningKey'] }, 1, 0),
  'provisioning.list': pattern('All provisioning keys', { query: ['listedKey'] }, 1, 0, each4KB),
  'provisioning.put': pattern('A new provisioning key', { put: ['provisioningKey', 'listedKey'] }, 0, 4),
  'provisioning.noteUse': pattern('When was a provisioning key used last?', { update: ['listedKey'] }, 0, 1),
  'provisioning.remove': pattern(
    'A provisioning key is void',
    { get: ['listedKey'], remove: ['listedKey', 'provisioningKey'] },
    1,
    4,
  ),

  'rooms.get': pattern('The room of a sensor', { get: ['room'] }, 1, 0, 'for each 4 KB'),
  'rooms.put': pattern(
    'A room, and its extent in the sensor',
    { put: ['room'], update: ['sensor'] },
    0,
    4,
    'for each KB',
  ),

  'ruleHits.get': pattern('A rule hit', { get: ['ruleHit'] }, 1, 0),
  'ruleHits.tail': pattern('Where do the hits of a customer end?', { query: ['ruleHit'] }, 0.5, 0),
  'ruleHits.window': pattern(
    'How many hits of the last 120 days, and which?',
    { get: ['ruleHit'], query: ['ruleHit'] },
    2,
    0,
    'and 0.5 for each halving of the log while it holds older ones: 9 for 100,000',
  ),
  'ruleHits.range': pattern('A page of hits in the order of ids', { query: ['ruleHit'] }, 1, 0, each4KB),
  'ruleHits.some': pattern('Some hits', { batchGet: ['ruleHit'] }, 0.5, 0, eachItem),
  'ruleHits.idsOfSensor': pattern(
    'Which hits are those of a sensor?',
    { queryList: ['hitsOfSensor'] },
    0.5,
    0,
    'for 8 KB of their keys, about 70 hits; 5,000 at first, 20,000 at most',
  ),
  'ruleHits.changeDates': pattern('When did each hit of the window change?', { query: ['ruleHit'] }, 0.5, 0, each8KB),
  'ruleHits.append': pattern(
    'A hit, once for its event and rule, after the last one',
    { query: ['ruleHit'], put: ['ruleHit'] },
    0,
    2,
    'for each KB; when another took the place: 1 write, and 1 read for each 4 KB since',
  ),
  'ruleHits.report': pattern('What became of a message of a hit', { update: ['ruleHit'] }, 0, 1, 'for each KB'),

  'rules.get': pattern('A rule, by its id', { get: ['ruleById'] }, 1, 0),
  'rules.getAll': pattern('Some rules', { batchGet: ['wholeRule'] }, 1, 0, eachItem),
  'rules.list': pattern('The rules of a customer', { query: ['wholeRule'] }, 1, 0, each4KB),
  'rules.listed': pattern('What rules are sorted by', { query: ['listedRule'] }, 1, 0, 'for each 4 KB: 20 to 40 rules'),
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
    'A rule becomes another, where events look for it',
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
    'A rule is gone',
    counting({
      get: ['enabledRules'],
      update: ['enabledRules'],
      remove: ['ruleById', 'wholeRule', 'listedRule', 'rule', 'owner', 'enabledRules'],
    }),
    2,
    14,
  ),

  'states.get': pattern(
    'What a sensor is up to, and the last decision',
    { get: ['sensorState'] },
    1,
    0,
    'for each 4 KB',
  ),
  'states.decide': pattern(
    'A new state with its decision, if nobody was faster',
    { put: ['sensorState'], check: ['sensor', 'formerSensor'] },
    0,
    4,
    'the first one; 1 for each KB of those that follow',
  ),
  'states.watch': pattern(
    'When is a sensor looked at, by time alone?',
    { update: ['sensorState'] },
    0,
    2,
    'for each KB; 3 when moved',
  ),

  ...sensorPatterns,
};
