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
    'The key that signs acknowledgement links',
    { get: ['addressKey'] },
    [1, 0],
    'once per process',
  ),
  'addressKeys.keep': pattern('Store that key, once', { put: ['addressKey'] }, [0, 1]),

  'auditLines.put': pattern(
    'Store the audit line of a change before it is made, or of a login',
    { put: ['auditLine'] },
    [0, 1],
  ),
  'refusals.record': pattern(
    'Record a refused call, as a line or in the count of an equal one',
    { get: ['rate'], put: ['rate', 'auditLine'], update: ['auditLine'] },
    [2, 6],
    '2 R 1 W if an equal call was refused within a minute; 3 R 1 W if many others were',
  ),
  'auditLines.takeBack': pattern(
    'Remove the audit line of a change that was not made',
    { remove: ['auditLine'] },
    [0, 1],
  ),
  'audit.page': pattern(
    'The audit log of a customer',
    { query: ['auditLine'] },
    [1, 0],
    'per 8 KB; the first 200 lines are read consistently, 5,000 at most',
  ),

  'alarmSubscribers.get': pattern('Who received alarms at the last check?', { get: ['alarmSubscribers'] }, [1, 0]),
  'alarmSubscribers.put': pattern('Record who receives alarms', { put: ['alarmSubscribers'] }, [0, 1]),

  'bots.get': pattern('A bot', { get: ['bot'] }, [1, 0]),
  'bots.list': pattern('The bots of a customer', { query: ['bot'] }, [1, 0], per4KB),
  'bots.create': pattern('Create a bot within the quota of its customer', withCount({ put: ['bot', 'owner'] }), [1, 6]),
  'bots.update': pattern('Change the name and language of a bot', { update: ['bot'] }, [0, 1]),
  'bots.remove': pattern(
    'Delete a bot; no webhook can be assigned to it anymore',
    withCount({ remove: ['bot'] }),
    [1, 4],
  ),
  'bots.forget': pattern('Remove the owner of a deleted bot', { remove: ['owner'] }, [0, 1]),

  'canary.setup': pattern('The customer, sensor and webhook of the canary', { get: ['canaryHome'] }, [1, 0]),
  'canary.round': pattern('When did the last test fall of the canary come back?', { get: ['canaryRound'] }, [1, 0]),
  'canary.storeSetup': pattern(
    'Store the customer, sensor and webhook of the canary',
    { put: ['canaryHome'], update: ['device'] },
    [0, 4],
  ),
  'canary.startRound': pattern('Record that a test fall starts', { update: ['canaryRound'] }, [0, 1]),
  'canary.recordMail': pattern('Record that the operator was mailed', { update: ['canaryRound'] }, [0, 1]),
  'canary.completeRound': pattern('Record that it came back', { update: ['canaryRound'] }, [0, 1]),

  'makerFeedback.home': pattern(
    'Which webhook receives feedback for the manufacturer?',
    { get: ['makerFeedback'] },
    [1, 0],
  ),
  'makerFeedback.furnish': pattern(
    'Create that webhook and its customer, once',
    { put: ['makerFeedback', 'customer', 'listedCustomer', 'webhook', 'owner'] },
    [0, 10],
  ),

  'configs.get': pattern('A configuration of a sensor', { get: ['config'] }, [1, 0]),
  'configs.list': pattern('All configurations of a sensor', { query: ['config'] }, [1, 0], per4KB),
  'configs.put': pattern(
    'Write a configuration, and copy the fields that the sensor item also holds',
    { get: ['sensor'], put: ['config', 'notice'], update: ['sensor', 'firmwarePins'], remove: ['notice'] },
    [1, 8],
    '0 R 4 W if the sensor item holds none of them and no firmware pin changes; 3 W more if learning starts or ends early',
  ),

  'customers.get': pattern('A customer, with its webhooks that receive every event', { get: ['customer'] }, [1, 0]),
  'customers.list': pattern('All customers', { query: ['listedCustomer'] }, [1, 0], per4KB),
  'customers.ownerOf': pattern(
    'Which customer owns this id? (for system admins and devices)',
    { get: ['owner'] },
    [1, 0],
  ),
  'customers.create': pattern('Create a customer', { put: ['customer', 'listedCustomer'] }, [0, 4]),
  'customers.update': pattern(
    'Change the name, location and address of a customer',
    { get: ['customer'], update: ['customer', 'listedCustomer'] },
    [1, 4],
  ),
  'customers.setEmergencyContacts': pattern(
    'Replace the emergency contacts of a customer',
    { update: ['customer'] },
    [0, 1],
  ),
  'customers.remove': pattern(
    'Delete a customer that has neither users nor sensors',
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
    'Record that a sweep has acted on a clock that was set back',
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
    'An event with its bytes',
    { get: ['message', 'event'] },
    [2, 0],
    'per 4 KB; 1 more for the message of an event with its own UUID',
  ),
  'events.bytes': pattern('The bytes of a message', { get: ['message'] }, [0.5, 0], `per 4 KB; ${unlessFound}`),
  'events.list': pattern(
    'The events of a sensor, 120 days, newest first',
    { query: ['event'], batchGet: ['message'] },
    [1, 0],
    'per 8 KB of events, 1,000 at first, 4,000 at most; 0.5 per message of an event on the page',
  ),
  'events.isApplied': pattern('Has a decision been applied?', { get: ['event'] }, [0.5, 0], unlessFound),
  'events.storeMessage': pattern(
    'Store a message that makes an event, once',
    { put: ['message'], get: ['message'] },
    [0, 1],
    'per KB; 0.5 R more per 4 KB of another one with its UUID',
  ),
  'events.add': pattern(
    'Write the events of a decision, each once',
    { put: ['event', 'message'] },
    [0, 1],
    'per event; 1 more for one with its own UUID',
  ),
  'events.newestMessageOfFall': pattern(
    'The newest message about a fall that time moves, for webhooks in the format Raw',
    { query: ['event'] },
    [1, 0],
    'per 4 KB of events, 25 at first, 100 at most',
  ),
  'events.exists': pattern('Has an event been written?', { get: ['message'] }, [1, 0], unlessFound),
  'events.notice': pattern('A notice of the service about a sensor', { get: ['notice'] }, [1, 0]),
  'events.storeNotice': pattern('Store a notice about a sensor', { put: ['notice'] }, [0, 2]),
  'events.removeNotice': pattern('Delete a processed notice', { remove: ['notice'] }, [0, 2]),

  'firmwares.get': pattern('A firmware', { get: ['firmware'] }, [1, 0]),
  'firmwares.list': pattern(
    'The firmwares of a manufacturer, and its default',
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
  'provisioning.recordUse': pattern('Record the use of a provisioning key', { update: ['listedKey'] }, [0, 1]),
  'provisioning.remove': pattern(
    'Delete a provisioning key',
    { get: ['listedKey'], remove: ['listedKey', 'provisioningKey'] },
    [1, 4],
  ),

  'rooms.get': pattern('The room of a sensor', { get: ['room'] }, [1, 0], 'per 4 KB'),
  'rooms.put': pattern(
    'Write a room, and copy its dimensions and regions to the sensor item',
    { put: ['room'], get: ['sensorState'], update: ['sensor', 'sensorState'] },
    [0, 4],
    'per KB; 1 R 2 W more if regions are renumbered',
  ),

  ...rulePatterns,

  'states.get': pattern('The state of a sensor, with its last decision', { get: ['sensorState'] }, [1, 0], 'per 4 KB'),
  'openFalls.page': pattern(
    'Which sensors of a customer see an open fall?',
    {
      queryList: ['openFallsOfCustomer'],
      batchGet: ['sensorState', 'sensor', 'config'],
      query: ['event'],
      get: ['fallAnswer'],
    },
    [4.5, 0],
    '0.5 if there is none; 2 per sensor on the page, 1 more per 4 KB of its state, with 1 for suspected falls; 0.5 or 1 per fall, and 1 more if it is acknowledged',
  ),
  'states.glance': pattern(
    'Which of these sensors may be offline?',
    { batchGet: ['sensorState'] },
    [0.5, 0],
    `per 4 KB of each; ${unlessFound}`,
  ),
  'states.decide': pattern(
    'Write a state and its decision, if the version is unchanged',
    { put: ['sensorState'], check: ['sensor', 'formerSensor'] },
    [0, 5],
    'for the first state, with a fall; later 1 per KB, and 1 more when the first fall starts and when the last one ends',
  ),
  'states.recordTimes': pattern(
    'Record the times of a report that changes nothing else, if the version is unchanged',
    { update: ['sensorState'] },
    [0, 1],
    'per KB',
  ),
  'states.scheduleCheck': pattern(
    'Set when the sweep checks a sensor',
    { update: ['sensorState'] },
    [0, 2],
    'per KB; 3 if it was already set',
  ),

  ...sensorPatterns,

  ...subjectPatterns,

  'watches.get': pattern('How well are falls covered?', { query: ['watch'] }, [0.5, 0], per8KB),
  'watches.latest': pattern(
    'How well are falls covered, as this process read it in the last minute?',
    { query: ['watch'] },
    [0.5, 0],
    `${per8KB}, once a minute`,
  ),
  'watches.changedCustomers': pattern(
    'In which customers did users change something since the last check?',
    { query: ['changedCustomer'] },
    [1, 0],
    per4KB,
  ),
  'watches.put': pattern('Store how well falls are covered', { put: ['watch'] }, [0, 1], 'per KB'),
  'watches.noteChange': pattern(
    'Record that a user changes something that this depends on',
    { put: ['changedCustomer'] },
    [0, 1],
  ),
  'watches.endChange': pattern('Record that the changes are checked', { remove: ['changedCustomer'] }, [0, 1]),
};
