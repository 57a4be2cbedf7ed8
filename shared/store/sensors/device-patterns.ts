import { type AccessPattern, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Questions about devices; see access-patterns.ts. */
export const devicePatterns = {
  'devices.get': pattern('Which device has this token?', { get: ['device'] }, [1, 0]),
  'devices.linkOf': pattern('Which token does the device of this sensor have?', { get: ['deviceOfSensor'] }, [1, 0]),
  'devices.noteCall': pattern('Note which call of a device is queued next', { update: ['device'] }, [0, 1]),
  'devices.holdBack': pattern('Hold back the calls of a device, or take them again', { update: ['device'] }, [0, 1]),
  'devices.idOfHardware': pattern('Which sensor has this hardware id?', { get: ['hardware'] }, [1, 0]),
  'devices.pairing': pattern('Which sensor shows this pairing code?', { get: ['pairingCode'] }, [1, 0]),
  'devices.register': pattern(
    'A new device, if its hardware id is free',
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
    'Replace token and pairing code of a device, and store a notice for its customer',
    {
      get: ['deviceOfSensor', 'sensor'],
      put: ['deviceOfSensor', 'pairingCode', 'device', 'notice'],
      update: ['sensor'],
      remove: ['pairingCode', 'device'],
    },
    [2, 17],
    "14 for nobody's; none when it is refused",
  ),
  'devices.usePairing': pattern('Use up a pairing code', { remove: ['pairingCode'] }, [0, 1]),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
