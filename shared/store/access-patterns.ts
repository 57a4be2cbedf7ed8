import { type AccessPattern, counting, each4KB, each8KB, orAbsent, pattern } from './access-pattern.ts';
import { deliveryPatterns } from './deliveries/delivery-patterns.ts';
import { identityPatterns } from './identity/identity-patterns.ts';
import { rulePatterns } from './rules/rule-patterns.ts';
import { sensorPatterns } from './sensors/sensor-patterns.ts';
import type { StoreCall } from './store.ts';
import { subjectPatterns } from './subjects/subject-patterns.ts';

/**
 * Every question that is asked of the table. A call that is missing here does not compile; test/shared/store/table.test.ts makes
 * each call and compares the keys and the units.
 */
export const accessPatterns: Readonly<Record<StoreCall, AccessPattern>> = {
  ...identityPatterns,
  ...deliveryPatterns,

  'addressKeys.get': pattern(
    'The key that signs addresses for acknowledging',
    { get: ['addressKey'] },
    [1, 0],
    'once for each process',
  ),
  'addressKeys.keep': pattern('Keep that key, once', { put: ['addressKey'] }, [0, 1]),

  'auditLines.put': pattern('Note a change ahead of it, a refusal or a login', { put: ['auditLine'] }, [0, 1]),
  'auditLines.takeBack': pattern('Forget a change that was not made', { remove: ['auditLine'] }, [0, 1]),
  'audit.page': pattern(
    'Who did what in a customer?',
    { query: ['auditLine'] },
    [1, 0],
    'for each 8 KB of lines, 200 at first consistently, 5,000 at most',
  ),

  'bots.get': pattern('A bot', { get: ['bot'] }, [1, 0]),
  'bots.list': pattern('The bots of a customer', { query: ['bot'] }, [1, 0], each4KB),
  'bots.create': pattern('A new bot, if its customer has room for it', counting({ put: ['bot', 'owner'] }), [1, 6]),
  'bots.update': pattern('A new name and language of a bot', { update: ['bot'] }, [0, 1]),
  'bots.remove': pattern('Delete a bot, so that no webhook can join it', counting({ remove: ['bot'] }), [1, 4]),
  'bots.forget': pattern('Forget whom the id of a deleted bot belonged to', { remove: ['owner'] }, [0, 1]),

  'canary.home': pattern('Where does the canary live?', { get: ['canaryHome'] }, [1, 0]),
  'canary.round': pattern('When did the last fall of the canary come back?', { get: ['canaryRound'] }, [1, 0]),
  'canary.settle': pattern('Keep where the canary lives', { put: ['canaryHome'], update: ['device'] }, [0, 4]),
  'canary.begin': pattern('Note the next fall of the canary', { update: ['canaryRound'] }, [0, 1]),
  'canary.comeBack': pattern('Note that it came back', { update: ['canaryRound'] }, [0, 1]),

  'makerFeedback.home': pattern('Which webhook does feedback for the maker go to?', { get: ['makerFeedback'] }, [1, 0]),
  'makerFeedback.furnish': pattern(
    'Make the webhook that feedback for the maker goes to, and its customer, once',
    { put: ['makerFeedback', 'customer', 'listedCustomer', 'webhook', 'owner'] },
    [0, 10],
  ),

  'configs.get': pattern('A configuration of a sensor', { get: ['config'] }, [1, 0]),
  'configs.list': pattern('All configurations of a sensor', { query: ['config'] }, [1, 0], each4KB),
  'configs.put': pattern(
    "Write a configuration, and the fields of it that the sensor's item holds",
    { get: ['sensor'], put: ['config', 'notice'], update: ['sensor', 'firmwarePins'], remove: ['notice'] },
    [1, 8],
    '0 and 4 when the sensor keeps nothing of it and no pin of a firmware moves; 3 more when learning begins, or ends early',
  ),

  'customers.get': pattern('A customer, with its webhooks that get every event', { get: ['customer'] }, [1, 0]),
  'customers.list': pattern('All customers', { query: ['listedCustomer'] }, [1, 0], each4KB),
  'customers.ownerOf': pattern(
    'Which customer does this id belong to? (for system admins and devices)',
    { get: ['owner'] },
    [1, 0],
  ),
  'customers.create': pattern('A new customer', { put: ['customer', 'listedCustomer'] }, [0, 4]),
  'customers.update': pattern(
    'A new name, location and address of a customer',
    { get: ['customer'], update: ['customer', 'listedCustomer'] },
    [1, 4],
  ),
  'customers.remove': pattern(
    'Delete a customer that has neither users nor sensors',
    { get: ['customer'], remove: ['customer', 'listedCustomer'] },
    [0, 4],
    'read 1 if not',
  ),

  'due.beat': pattern(
    'Note that the service runs, and find where this sweep begins',
    { get: ['heartbeat'], put: ['heartbeat'] },
    [1, 1],
  ),
  'due.leave': pattern('Note where the next sweep goes on', { update: ['heartbeat'] }, [0, 1]),
  'due.lastBeat': pattern('Does the table answer, and when was the last sweep?', { get: ['heartbeat'] }, [0.5, 0]),
  'due.upSince': pattern('Since when has the service run without a gap?', { get: ['heartbeat'] }, [1, 0]),
  'due.waiting': pattern('Which items are due before a time?', { queryDue: true }, [16, 0], each8KB),

  'events.get': pattern(
    'An event with its bytes',
    { get: ['message', 'event'] },
    [2, 0],
    'for each 4 KB; 1 more to look up the message of a further event',
  ),
  'events.bytes': pattern('The bytes of a message', { get: ['message'] }, [0.5, 0], `for each 4 KB; ${orAbsent}`),
  'events.list': pattern(
    'The events of a sensor, 120 days, newest first',
    { query: ['event'], batchGet: ['message'] },
    [1, 0],
    'for each 8 KB of events, 1,000 at first, 4,000 at most; 0.5 for the message of each event shown',
  ),
  'events.isApplied': pattern('Is a decision applied?', { get: ['event'] }, [0.5, 0], orAbsent),
  'events.keep': pattern('Store a message that makes an event, once', { put: ['message'] }, [0, 1], 'for each KB'),
  'events.add': pattern(
    'Write the events of a decision, each once',
    { put: ['event', 'message'] },
    [0, 1],
    'for each; 1 more for each that has another uuid than its message',
  ),
  'events.isThere': pattern('Has an event been written?', { get: ['message'] }, [1, 0], orAbsent),
  'events.notice': pattern('A notice of the service about a sensor', { get: ['notice'] }, [1, 0]),
  'events.keepNotice': pattern('Store a notice about a sensor', { put: ['notice'] }, [0, 2]),
  'events.endNotice': pattern('Delete a notice that was processed', { remove: ['notice'] }, [0, 2]),

  'firmwares.get': pattern('A firmware', { get: ['firmware'] }, [1, 0]),
  'firmwares.list': pattern(
    'The firmwares of a manufacturer, and its default',
    { get: ['firmwareDefault'], query: ['firmware'] },
    [2, 0],
    each4KB,
  ),
  'firmwares.defaultOf': pattern('Which firmware is the default?', { get: ['firmwareDefault'] }, [1, 0]),
  'firmwares.create': pattern(
    'A new firmware',
    { put: ['firmware', 'firmwareDefault'] },
    [0, 4],
    '1 when it is not the default',
  ),
  'firmwares.setDefault': pattern(
    'Make another firmware the default',
    { put: ['firmwareDefault'], check: ['firmware'] },
    [0, 4],
  ),
  'firmwares.remove': pattern(
    'Delete a firmware that is neither the default nor pinned',
    { remove: ['firmware'], check: ['firmwareDefault', 'firmwarePins'] },
    [0, 6],
  ),

  'provisioning.byHash': pattern('A provisioning key', { get: ['provisioningKey'] }, [1, 0]),
  'provisioning.list': pattern('All provisioning keys', { query: ['listedKey'] }, [1, 0], each4KB),
  'provisioning.put': pattern('A new provisioning key', { put: ['provisioningKey', 'listedKey'] }, [0, 4]),
  'provisioning.noteUse': pattern('Note the use of a provisioning key', { update: ['listedKey'] }, [0, 1]),
  'provisioning.remove': pattern(
    'Delete a provisioning key',
    { get: ['listedKey'], remove: ['listedKey', 'provisioningKey'] },
    [1, 4],
  ),

  'rooms.get': pattern('The room of a sensor', { get: ['room'] }, [1, 0], 'for each 4 KB'),
  'rooms.put': pattern(
    "Write a room, and in the sensor's item its extent and where its regions are",
    { put: ['room'], get: ['sensorState'], update: ['sensor', 'sensorState'] },
    [0, 4],
    'for each KB; 1 and 2 more where regions get other numbers',
  ),

  ...rulePatterns,

  'states.get': pattern(
    'The state of a sensor, with its last decision',
    { get: ['sensorState'] },
    [1, 0],
    'for each 4 KB',
  ),
  'openFalls.page': pattern(
    'Who is on the floor: which sensors of a customer see a fall that is not over?',
    { queryList: ['openFallsOfCustomer'], batchGet: ['sensorState', 'sensor'] },
    [2.5, 0],
    '0.5 while there is none; 2 for each sensor shown, and 1 more for each 4 KB of its state',
  ),
  'states.glance': pattern(
    'Which of these sensors may be silent?',
    { batchGet: ['sensorState'] },
    [0.5, 0],
    `for each 4 KB of each; ${orAbsent}`,
  ),
  'states.decide': pattern(
    'Write a state with its decision, if the version is unchanged',
    { put: ['sensorState'], check: ['sensor', 'formerSensor'] },
    [0, 5],
    'the first one, of a fall; 1 for each KB of those that follow, and 1 more as the first fall begins and the last one ends',
  ),
  'states.hear': pattern(
    'Note the times of a report that changes nothing else, if the state is unchanged',
    { update: ['sensorState'] },
    [0, 1],
    'for each KB',
  ),
  'states.watch': pattern(
    'Set when the sweep checks a sensor',
    { update: ['sensorState'] },
    [0, 2],
    'for each KB; 3 when moved',
  ),

  ...sensorPatterns,

  ...subjectPatterns,
};
