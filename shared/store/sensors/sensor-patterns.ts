import { type AccessPattern, pattern, per8KB, perItem, unlessFound, withCount } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Access patterns of sensors, their groups and their devices. */
export const sensorPatterns = {
  'sensors.get': pattern('A sensor', { get: ['sensor'] }, [1, 0]),
  'sensors.getWithContext': pattern(
    'A sensor with its state and its customer: everything that alarms are decided from',
    { batchGet: ['sensor', 'sensorState', 'customer'] },
    [3, 0],
    'per 4 KB of each; 2 for a sensor without an owner',
  ),
  'sensors.getEventual': pattern(
    'A sensor, possibly a few seconds old, where no alarm depends on it',
    { get: ['sensor'] },
    [0.5, 0],
    unlessFound,
  ),
  'sensors.wasErased': pattern('Was a sensor erased?', { get: ['erasedSensor'] }, [1, 0]),
  'sensors.former': pattern(
    'A sensor as it was when it left a customer',
    { get: ['formerSensor'] },
    [1, 0],
    'per 4 KB',
  ),
  'sensors.getAll': pattern('Some sensors', { batchGet: ['sensor'] }, [1, 0], perItem),
  'sensors.list': pattern('The sensors of a customer', { queryList: ['sensorsOfCustomer'] }, [0.5, 0], per8KB),
  'sensors.allowRegistration': pattern(
    'Allow a linked sensor to register again without its token, once',
    { update: ['sensor'] },
    [0, 1],
  ),
  'sensorOwners.move': pattern(
    'Move a sensor to another customer, where it starts from scratch',
    withCount({
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
    'Delete an inactive sensor',
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
    '1 R more for its customer; 2 W more each for customer, group, room, configurations, a pinned firmware',
  ),
  'sensorOwners.erase': pattern(
    'Delete a sensor with everything needed to process its messages',
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
  'sensors.setFirmware': pattern('Record the firmware of a device', { get: ['sensor'], update: ['sensor'] }, [1, 3]),
  'sensors.setActive': pattern(
    'Record in the sensor list whether a sensor is active',
    { get: ['sensor'], update: ['sensor'] },
    [1, 3],
  ),

  'sensors.setMisunderstood': pattern(
    'Record in the sensor list whether most messages of a sensor are not understood',
    { get: ['sensor'], update: ['sensor'] },
    [1, 3],
  ),

  'feedback.list': pattern(
    'The feedback on a sensor, newest first',
    { batchGet: ['feedback'], queryList: ['feedbackOfSensor'] },
    [1, 0],
    'per 8 KB of keys, 5,000 at first, 20,000 at most; 0.5 per item on the page',
  ),
  'feedback.create': pattern(
    'Write feedback; a hit holds its newest',
    {
      get: ['ruleHit'],
      put: ['feedback', 'feedbackOfHit', 'lateChange', 'delivery'],
      update: ['ruleHit'],
      check: ['sensor'],
    },
    [1, 14],
    'with a delivery of 1 KB to the manufacturer: 3 less without one, 2 more per further KB; 1 R 6 W less without a hit',
  ),
  'feedback.remove': pattern(
    'Delete feedback; its hit then holds the next newest',
    {
      get: ['feedback', 'ruleHit'],
      query: ['feedbackOfHit'],
      put: ['lateChange'],
      update: ['ruleHit'],
      remove: ['feedback', 'feedbackOfHit'],
    },
    [3, 9],
    '1 R 2 W without a hit',
  ),

  'sensorGroups.get': pattern(
    'A sensor group with its sensors',
    { get: ['sensorGroup'], query: ['groupMember'] },
    [2, 0],
    'per 4 KB',
  ),
  'sensorGroups.list': pattern(
    'The sensor groups of a customer with their sensors',
    { query: ['sensorGroup', 'groupMember'] },
    [2, 0],
    'per 4 KB',
  ),
  'sensorGroups.create': pattern(
    'Create a sensor group, and move its sensors out of other groups',
    withCount({
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
    'Replace the sensors of a group; a sensor belongs to at most one group',
    {
      get: ['sensorGroup'],
      batchGet: ['sensor'],
      query: ['groupMember'],
      put: ['groupMember'],
      update: ['sensorGroup', 'sensor'],
      remove: ['groupMember'],
    },
    [3, 6],
    'for one sensor added or removed',
  ),
  'sensorGroups.remove': pattern(
    'Delete a sensor group that no rule and no webhook refers to',
    withCount({
      get: ['sensorGroup'],
      batchGet: ['sensor'],
      query: ['rule', 'webhook', 'groupMember'],
      update: ['sensorGroup', 'sensor'],
      remove: ['sensorGroup', 'owner', 'groupMember'],
    }),
    [8, 11],
    'with one sensor',
  ),

  'devices.get': pattern('Which device has this token?', { get: ['device'] }, [1, 0]),
  'devices.linkOf': pattern('Which device token belongs to this sensor?', { get: ['deviceOfSensor'] }, [1, 0]),
  'devices.noteCall': pattern('Note a call of a device before it is queued', { update: ['device'] }, [0, 1]),
  'devices.holdBack': pattern('Hold back the calls of a device, or accept them again', { update: ['device'] }, [0, 1]),
  'devices.noteConnection': pattern('Note that a device connects by MQTT', { update: ['device'] }, [0, 1]),
  'devices.idOfHardware': pattern('Which sensor has this hardware id?', { get: ['hardware'] }, [1, 0]),
  'devices.pairing': pattern('Which sensor has this pairing code?', { get: ['pairingCode'] }, [1, 0]),
  'devices.register': pattern(
    'Register a device, if its hardware id is new',
    { put: ['hardware', 'owner', 'sensor', 'device', 'deviceOfSensor', 'pairingCode'], update: ['listedKey'] },
    [0, 15],
  ),
  'devices.renewCode': pattern(
    'Replace a pairing code',
    {
      get: ['deviceOfSensor', 'sensor'],
      put: ['deviceOfSensor', 'pairingCode'],
      update: ['sensor'],
      remove: ['pairingCode'],
    },
    [2, 8],
  ),
  'devices.registerAgain': pattern(
    'Replace the token and the pairing code of a device, with a notice for its customer',
    {
      get: ['deviceOfSensor', 'sensor'],
      put: ['deviceOfSensor', 'pairingCode', 'device', 'notice'],
      update: ['sensor'],
      remove: ['pairingCode', 'device'],
    },
    [2, 17],
    '14 W without an owner; 0 W if refused',
  ),
  'devices.usePairingCode': pattern('Use up a pairing code', { remove: ['pairingCode'] }, [0, 1]),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
