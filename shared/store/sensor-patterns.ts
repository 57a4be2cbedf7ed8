import { type AccessPattern, each8KB, eachItem, pattern, type StoreCall } from './access-pattern.ts';

/** Questions about sensors and their groups; see access-patterns.ts. */
export const sensorPatterns = {
  'sensors.get': pattern('A sensor', ['sensor'], 0.5, 0),
  'sensors.getAll': pattern('Some sensors', ['sensor'], 0.5, 0, eachItem),
  'sensors.list': { ...pattern('The sensors of a customer', ['sensor'], 0.5, 0, each8KB), index: 'list' },
  'sensors.deviceOf': pattern('Which device has this token?', ['device'], 1, 0),
  'sensors.idOfHardware': pattern('Which sensor has this hardware id?', ['hardware'], 1, 0),
  'sensors.pairing': pattern('Which sensor shows this pairing code?', ['pairingCode'], 1, 0),
  'sensors.register': pattern(
    'A new device, if its hardware id is free',
    ['listedKey', 'hardware', 'home', 'sensor', 'device', 'deviceOfSensor', 'pairingCode'],
    0,
    15,
  ),
  'sensors.renewCode': pattern(
    'A new pairing code; the old one is void',
    ['deviceOfSensor', 'pairingCode', 'sensor'],
    2,
    8,
  ),
  'sensors.registerAgain': pattern(
    'A new token and pairing code; the old ones are void, and its customer hears of it',
    ['deviceOfSensor', 'pairingCode', 'sensor', 'device', 'event'],
    2,
    17,
    "14 for nobody's; none when it is refused",
  ),
  'sensors.allowRegistration': pattern('May a linked sensor register without its token?', ['sensor'], 0, 1),
  'sensors.move': pattern(
    'A sensor becomes that of another customer, and starts anew there',
    [...(['deviceOfSensor', 'pairingCode', 'sensor', 'home', 'device', 'customer', 'sensorState', 'room'] as const)],
    6,
    16,
    'without room and configurations',
  ),
  'sensors.remove': pattern(
    'A sensor is gone, if it is inactive',
    ['deviceOfSensor', 'pairingCode', 'sensor', 'home', 'device', 'sensorState', 'room', 'hardware'],
    5,
    15,
    '1 read more for its customer; 2 written more each for customer, group, room, configurations, a pinned firmware',
  ),
  'sensors.usePairing': pattern('A pairing code is used up', ['pairingCode'], 0, 1),
  'sensors.setFirmware': pattern('Which firmware does a device run?', ['sensor'], 1, 3),
  'sensors.setActive': pattern('Is a sensor heard of? For the list', ['sensor'], 1, 3),

  'feedback.list': {
    ...pattern(
      'The feedback on a sensor, newest first',
      ['feedback'],
      1,
      0,
      'for each 8 KB of keys; 0.5 for each shown',
    ),
    index: 'list, table',
  },
  'feedback.create': pattern(
    'Feedback, and the newest of a hit in the hit',
    ['feedback', 'feedbackOfHit', 'ruleHit', 'sensor'],
    1,
    9,
    '0 and 5 without a hit',
  ),
  'feedback.remove': pattern(
    'Feedback is gone, and a hit has its next newest',
    ['feedback', 'feedbackOfHit', 'ruleHit'],
    3,
    7,
    '1 and 2 without a hit',
  ),

  'sensorGroups.get': pattern('A sensor group and who is in it', ['sensorGroup', 'groupMember'], 2, 0, 'for each 4 KB'),
  'sensorGroups.list': pattern(
    'The sensor groups of a customer and who is in them',
    ['sensorGroup', 'groupMember'],
    2,
    0,
    'for each 4 KB',
  ),
  'sensorGroups.create': pattern(
    'A new sensor group, and its sensors leave others',
    ['sensorGroup', 'groupMember', 'sensor', 'home', 'customer'],
    3,
    10,
    'with one sensor',
  ),
  'sensorGroups.put': pattern(
    'Other sensors in a group, each in one at most',
    ['sensorGroup', 'groupMember', 'sensor'],
    3,
    6,
    'for one sensor more or less',
  ),
  'sensorGroups.remove': pattern(
    'A sensor group is gone, if no rule watches it',
    ['sensorGroup', 'groupMember', 'home', 'sensor', 'customer'],
    5,
    10,
    'with one sensor',
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
