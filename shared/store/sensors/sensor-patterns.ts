import { type AccessPattern, counting, each8KB, eachItem, orAbsent, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Questions about sensors and their groups; see access-patterns.ts. */
export const sensorPatterns = {
  'sensors.get': pattern('A sensor', { get: ['sensor'] }, [1, 0]),
  'sensors.around': pattern(
    'A sensor with its state and its customer: all that alarms are decided by',
    { batchGet: ['sensor', 'sensorState', 'customer'] },
    [3, 0],
    'for each 4 KB of each; 2 of one that is nobody’s',
  ),
  'sensors.getEventual': pattern(
    'A sensor as it was some seconds ago, for what raises no alarm',
    { get: ['sensor'] },
    [0.5, 0],
    orAbsent,
  ),
  'sensors.wasErased': pattern('Was a sensor erased?', { get: ['erasedSensor'] }, [1, 0]),
  'sensors.former': pattern(
    'A sensor as it was when it left a customer',
    { get: ['formerSensor'] },
    [1, 0],
    'for each 4 KB',
  ),
  'sensors.getAll': pattern('Some sensors', { batchGet: ['sensor'] }, [1, 0], eachItem),
  'sensors.list': pattern('The sensors of a customer', { queryList: ['sensorsOfCustomer'] }, [0.5, 0], each8KB),
  'sensors.allowRegistration': pattern(
    'Allow a linked sensor to register without its token, once',
    { update: ['sensor'] },
    [0, 1],
  ),
  'sensorOwners.move': pattern(
    'Move a sensor to another customer, where it starts anew',
    counting({
      get: ['sensor', 'sensorState', 'deviceOfSensor', 'room'],
      query: ['config'],
      put: ['sensor', 'room', 'config', 'formerSensor', 'notice'],
      update: ['owner', 'device', 'firmwarePins', 'sensorState'],
      remove: ['pairingCode', 'sensor', 'sensorState', 'room', 'config', 'groupMember', 'formerSensor', 'notice'],
      check: ['sensorState', 'erasedSensor'],
    }),
    [6, 22],
    'without room and configurations',
  ),
  'sensorOwners.remove': pattern(
    'Delete a sensor that is inactive',
    {
      get: ['sensor', 'deviceOfSensor', 'room', 'sensorState'],
      query: ['config'],
      put: ['formerSensor'],
      update: ['customer', 'firmwarePins', 'sensorState'],
      check: ['sensorState'],
      remove: [
        'notice',
        'sensor',
        'sensorState',
        'owner',
        'hardware',
        'deviceOfSensor',
        'device',
        'pairingCode',
        'room',
        'config',
        'groupMember',
      ],
    },
    [5, 15],
    '1 read more for its customer; 2 written more each for customer, group, room, configurations, a pinned firmware',
  ),
  'sensorOwners.erase': pattern(
    'Delete a sensor with all by which its messages are judged',
    {
      get: ['sensor', 'deviceOfSensor', 'room', 'sensorState'],
      query: ['config'],
      put: ['erasedSensor'],
      update: ['customer', 'firmwarePins'],
      remove: [
        ...(['notice', 'sensor', 'sensorState', 'formerSensor', 'owner', 'hardware', 'deviceOfSensor'] as const),
        ...(['device', 'pairingCode', 'room', 'config', 'groupMember'] as const),
      ],
    },
    [5, 19],
    'as `sensorOwners.remove`',
  ),
  'sensors.setFirmware': pattern('Note which firmware a device runs', { get: ['sensor'], update: ['sensor'] }, [1, 3]),
  'sensors.setActive': pattern(
    'Note in the list of sensors whether a sensor is active',
    { get: ['sensor'], update: ['sensor'] },
    [1, 3],
  ),

  'feedback.list': pattern(
    'The feedback on a sensor, newest first',
    { batchGet: ['feedback'], queryList: ['feedbackOfSensor'] },
    [1, 0],
    'for each 8 KB of keys, 5,000 at first, 20,000 at most; 0.5 for each shown',
  ),
  'feedback.create': pattern(
    'Write feedback, and keep the newest of a hit in the hit',
    {
      get: ['ruleHit'],
      put: ['feedback', 'feedbackOfHit', 'lateChange', 'delivery'],
      update: ['ruleHit'],
      check: ['sensor'],
    },
    [1, 14],
    'with a delivery to the maker of 1 KB: 3 less without one, 2 more for each further KB; 1 and 6 less without a hit',
  ),
  'feedback.remove': pattern(
    'Delete feedback, and keep the next newest of a hit in the hit',
    {
      get: ['feedback', 'ruleHit'],
      query: ['feedbackOfHit'],
      put: ['lateChange'],
      update: ['ruleHit'],
      remove: ['feedback', 'feedbackOfHit'],
    },
    [3, 9],
    '1 and 2 without a hit',
  ),

  'sensorGroups.get': pattern(
    'A sensor group with its sensors',
    { get: ['sensorGroup'], query: ['groupMember'] },
    [2, 0],
    'for each 4 KB',
  ),
  'sensorGroups.list': pattern(
    'The sensor groups of a customer with their sensors',
    { query: ['sensorGroup', 'groupMember'] },
    [2, 0],
    'for each 4 KB',
  ),
  'sensorGroups.create': pattern(
    'A new sensor group, whose sensors leave other groups',
    counting({
      get: ['sensorGroup'],
      batchGet: ['sensor'],
      query: ['groupMember'],
      put: ['sensorGroup', 'owner', 'groupMember'],
      update: ['sensorGroup', 'sensor'],
      remove: ['groupMember'],
    }),
    [3, 10],
    'with one sensor',
  ),
  'sensorGroups.put': pattern(
    'Replace the sensors of a group; a sensor is in one group at most',
    {
      get: ['sensorGroup'],
      batchGet: ['sensor'],
      query: ['groupMember'],
      put: ['groupMember'],
      update: ['sensorGroup', 'sensor'],
      remove: ['groupMember'],
    },
    [3, 6],
    'for one sensor more or less',
  ),
  'sensorGroups.remove': pattern(
    'Delete a sensor group that no rule watches and no webhook names',
    counting({
      get: ['sensorGroup'],
      batchGet: ['sensor'],
      query: ['rule', 'webhook', 'groupMember'],
      update: ['sensorGroup', 'sensor'],
      remove: ['sensorGroup', 'owner', 'groupMember'],
    }),
    [8, 11],
    'with one sensor',
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
