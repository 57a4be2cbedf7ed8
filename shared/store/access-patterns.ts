import { type AccessPattern, pattern, per4KB, per8KB, unlessFound, withCount } from './access-pattern.ts';
import { deliveryPatterns } from './deliveries/delivery-patterns.ts';
import { identityPatterns } from './identity/identity-patterns.ts';
import { rulePatterns } from './rules/rule-patterns.ts';
import { sensorPatterns } from './sensors/sensor-patterns.ts';
import type { StoreCall } from './store.ts';
import { subjectPatterns } from './subjects/subject-patterns.ts';

/**
 * The access pattern for every store call. A missing pattern is a compile error. test/shared/store/table.test.ts makes
 * each call and compares keys and units.
 */
export const accessPatterns: Readonly<Record<StoreCall, AccessPattern>> = {
  ...identityPatterns,
  ...deliveryPatterns,

  'addressKeys.get': pattern(
    'The signing key for acknowledgement links',
    { get: ['addressKey'] },
    [1, 0],
    'once per process',
  ),
  'addressKeys.keep': pattern('Store that key, once', { put: ['addressKey'] }, [0, 1]),

  'auditLines.put': pattern(
    'Store an audit line before a change is made, or for a login',
    { put: ['auditLine'] },
    [0, 1],
  ),
  'refusals.record': pattern(
    'Record a refused call, as a line or by counting up an identical one',
    { get: ['rate'], put: ['rate', 'auditLine'], update: ['auditLine'] },
    [2, 6],
    '2 R 1 W if an identical call was refused within a minute; 3 R 1 W if many others were',
  ),
  'auditLines.takeBack': pattern(
    'Remove the audit line for a change that was not made',
    { remove: ['auditLine'] },
    [0, 1],
  ),
  'audit.page': pattern(
    "A customer's audit log",
    { query: ['auditLine'] },
    [1, 0],
    'per 8 KB; the first 200 lines are read consistently, 5,000 at most',
  ),

  'alarmSubscribers.get': pattern('Who received alarms at the last check?', { get: ['alarmSubscribers'] }, [1, 0]),
  'alarmSubscribers.put': pattern('Record who receives alarms', { put: ['alarmSubscribers'] }, [0, 1]),

  'bots.get': pattern('A bot', { get: ['bot'] }, [1, 0]),
  'bots.list': pattern("A customer's bots", { query: ['bot'] }, [1, 0], per4KB),
  'bots.create': pattern("Create a bot within the customer's quota", withCount({ put: ['bot', 'owner'] }), [1, 6]),
  'bots.update': pattern("Change a bot's name and language", { update: ['bot'] }, [0, 1]),
  'bots.remove': pattern(
    'Delete a bot; webhooks can no longer be assigned to it',
    withCount({ remove: ['bot'] }),
    [1, 4],
  ),
  'bots.forget': pattern("Remove a deleted bot's owner", { remove: ['owner'] }, [0, 1]),

  'canary.setup': pattern("The canary's customer, sensor and webhook", { get: ['canaryHome'] }, [1, 0]),
  'canary.round': pattern("When did the canary's last test fall come back?", { get: ['canaryRound'] }, [1, 0]),
  'canary.storeSetup': pattern(
    "Store the canary's customer, sensor and webhook",
    { put: ['canaryHome'], update: ['device'] },
    [0, 4],
  ),
  'canary.startRound': pattern('Record the start of a test fall', { update: ['canaryRound'] }, [0, 1]),
  'canary.recordMail': pattern('Record that the operator was sent an email', { update: ['canaryRound'] }, [0, 1]),
  'canary.completeRound': pattern('Record that a test fall came back', { update: ['canaryRound'] }, [0, 1]),

  'makerFeedback.home': pattern(
    'Which webhook receives feedback for the manufacturer?',
    { get: ['makerFeedback'] },
    [1, 0],
  ),
  'makerFeedback.furnish': pattern(
    'Create that webhook and a customer for it, once',
    { put: ['makerFeedback', 'customer', 'listedCustomer', 'webhook', 'owner'] },
    [0, 10],
  ),

  'configs.get': pattern("One of a sensor's configurations", { get: ['config'] }, [1, 0]),
  'configs.list': pattern("All of a sensor's configurations", { query: ['config'] }, [1, 0], per4KB),
  'configs.put': pattern(
    'Write a configuration, and copy fields that are also in the sensor item',
    { get: ['sensor'], put: ['config', 'notice'], update: ['sensor', 'firmwarePins'], remove: ['notice'] },
    [1, 8],
    '0 R 4 W if none of them are in the sensor item and no firmware pin changes; 3 W more if learning starts or ends ' +
      'early',
  ),

  'customers.get': pattern('A customer, with the webhooks that receive every event', { get: ['customer'] }, [1, 0]),
  'customers.list': pattern('All customers', { query: ['listedCustomer'] }, [1, 0], per4KB),
  'customers.ownerOf': pattern(
    'Which customer owns this id? (for system admins and devices)',
    { get: ['owner'] },
    [1, 0],
  ),
  'customers.create': pattern('Create a customer', { put: ['customer', 'listedCustomer'] }, [0, 4]),
  'customers.update': pattern(
    "Change a customer's name, location and address",
    { get: ['customer'], update: ['customer', 'listedCustomer'] },
    [1, 4],
  ),
  'customers.setEmergencyContacts': pattern(
    "Replace a customer's emergency contacts",
    { update: ['customer'] },
    [0, 1],
  ),
  'customers.remove': pattern(
    'Delete a customer without users and sensors',
    { get: ['customer'], remove: ['customer', 'listedCustomer', 'roster'] },
    [0, 6],
    '1 R if it has any',
  ),

  'due.recordHeartbeat': pattern(
    'Record a heartbeat, and find where this sweep starts',
    { get: ['heartbeat'], put: ['heartbeat'] },
    [1, 1],
  ),
  'due.saveCursors': pattern('Save where the next sweep continues', { update: ['heartbeat'] }, [0, 1]),
  'due.endSetBack': pattern(
    'Record that a sweep has handled a clock that was set back',
    { update: ['heartbeat'] },
    [0, 1],
  ),
  'due.lastHeartbeat': pattern(
    'Does the table respond, and when was the last sweep?',
    { get: ['heartbeat'] },
    [0.5, 0],
  ),
  'due.upSince': pattern('Since when has the service run without a gap?', { get: ['heartbeat'] }, [1, 0]),
  'due.pages': pattern('Which items are due before a time?', { queryDue: true }, [16, 0], per8KB),

  'events.get': pattern(
    'An event with the message bytes',
    { get: ['message', 'event'] },
    [2, 0],
    'per 4 KB; 1 more for the message if the event has its own UUID',
  ),
  'events.bytes': pattern("A message's bytes", { get: ['message'] }, [0.5, 0], `per 4 KB; ${unlessFound}`),
  'events.list': pattern(
    "A sensor's events, 120 days, newest first",
    { query: ['event'], batchGet: ['message'] },
    [1, 0],
    'per 8 KB of events, 1,000 at first, 4,000 at most; 0.5 per event message on the page',
  ),
  'events.isApplied': pattern('Has a decision been applied?', { get: ['event'] }, [0.5, 0], unlessFound),
  'events.storeMessage': pattern(
    'Store a message that causes an event, once',
    { put: ['message'], get: ['message'] },
    [0, 1],
    'per KB; 0.5 R more per 4 KB of another message with the same UUID',
  ),
  'events.add': pattern(
    "Write a decision's events, each once",
    { put: ['event', 'message'] },
    [0, 1],
    'per event; 1 more for an event with its own UUID',
  ),
  'events.newestMessageOfFall': pattern(
    'The newest message about a fall advanced by timers, for Raw webhooks',
    { query: ['event'] },
    [1, 0],
    'per 4 KB of events, 25 at first, 100 at most',
  ),
  'events.exists': pattern('Has an event been written?', { get: ['message'] }, [1, 0], unlessFound),
  'events.notice': pattern('A service notice about a sensor', { get: ['notice'] }, [1, 0]),
  'events.storeNotice': pattern('Store a notice about a sensor', { put: ['notice'] }, [0, 2]),
  'events.removeNotice': pattern('Delete a processed notice', { remove: ['notice'] }, [0, 2]),

  'firmwares.get': pattern('A firmware', { get: ['firmware'] }, [1, 0]),
  'firmwares.list': pattern(
    "A manufacturer's firmware, and which is the default",
    { get: ['firmwareDefault'], query: ['firmware'] },
    [2, 0],
    per4KB,
  ),
  'firmwares.defaultOf': pattern('Which firmware is the default?', { get: ['firmwareDefault'] }, [1, 0]),
  'firmwares.create': pattern(
    'Create a firmware',
    { put: ['firmware', 'firmwareDefault'] },
    [0, 4],
    '1 if it is not the default',
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
  'provisioning.list': pattern('All provisioning keys', { query: ['listedKey'] }, [1, 0], per4KB),
  'provisioning.put': pattern('Create a provisioning key', { put: ['provisioningKey', 'listedKey'] }, [0, 4]),
  'provisioning.recordUse': pattern("Record a provisioning key's use", { update: ['listedKey'] }, [0, 1]),
  'provisioning.remove': pattern(
    'Delete a provisioning key',
    { get: ['listedKey'], remove: ['listedKey', 'provisioningKey'] },
    [1, 4],
  ),

  'rooms.get': pattern("A sensor's room", { get: ['room'] }, [1, 0], 'per 4 KB'),
  'rooms.put': pattern(
    'Write a room, and copy dimensions and regions to the sensor item',
    { put: ['room'], get: ['sensorState'], update: ['sensor', 'sensorState'] },
    [0, 4],
    'per KB; 1 R 2 W more if regions are renumbered',
  ),

  ...rulePatterns,

  'states.get': pattern("A sensor's state, with the last decision", { get: ['sensorState'] }, [1, 0], 'per 4 KB'),
  'openFalls.page': pattern(
    "Which of a customer's sensors see an open fall?",
    {
      queryList: ['openFallsOfCustomer'],
      batchGet: ['sensorState', 'sensor', 'config'],
      query: ['event'],
      get: ['fallAnswer'],
    },
    [4.5, 0],
    '0.5 if there is none; 2 per sensor on the page, 1 more per 4 KB of sensor state, with 1 for suspected falls; ' +
      '0.5 or 1 per fall, and 1 more if the fall is acknowledged',
  ),
  'states.glance': pattern(
    'Which of these sensors may be offline?',
    { batchGet: ['sensorState'] },
    [0.5, 0],
    `per 4 KB of each; ${unlessFound}`,
  ),
  'states.decide': pattern(
    'Write a state with the decision, if the version is unchanged',
    { put: ['sensorState'], check: ['sensor', 'formerSensor'] },
    [0, 5],
    'for the first state, with a fall; later 1 per KB, and 1 more when the first fall starts and the last one ends',
  ),
  'states.recordTimes': pattern(
    "Record a report's times when nothing else changes, if the version is unchanged",
    { update: ['sensorState'] },
    [0, 1],
    'per KB',
  ),
  'states.scheduleCheck': pattern(
    'Schedule when the sweep checks a sensor',
    { update: ['sensorState'] },
    [0, 2],
    'per KB; 3 if it was already set',
  ),

  ...sensorPatterns,

  ...subjectPatterns,

  'watches.get': pattern('How well are falls covered?', { query: ['watch'] }, [0.5, 0], per8KB),
  'watches.latest': pattern(
    'How well are falls covered, as read by this process in the last minute?',
    { query: ['watch'] },
    [0.5, 0],
    `${per8KB}, once a minute`,
  ),
  'watches.changedCustomers': pattern(
    'For which customers have users changed something since the last check?',
    { query: ['changedCustomer'] },
    [1, 0],
    per4KB,
  ),
  'watches.put': pattern('Store how well falls are covered', { put: ['watch'] }, [0, 1], 'per KB'),
  'watches.noteChange': pattern(
    'Record that a user changes something fall coverage depends on',
    { put: ['changedCustomer'] },
    [0, 1],
  ),
  'watches.endChange': pattern("Record that a customer's changes are checked", { remove: ['changedCustomer'] }, [0, 1]),
};
