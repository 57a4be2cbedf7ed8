import { isTokenValid } from '#shared/domain/sensor/device-token.ts';
import type { Device } from '#shared/domain/sensor/sensor.ts';
import type { Table } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import { touchSensor } from './sensor-item.ts';

/**
 * The hashes for the current device token and pairing code. `formerHash`: the hash of the previous token, which is
 * valid until `formerUntil` (ms), or until the device uses the new token.
 */
export type DeviceLink = { hash: string; pairingHash: string; formerHash?: string; formerUntil?: number };

const isUnchanged = ({ hash }: Pick<DeviceLink, 'hash'>) => where('#hash = :hash', { hash });

/** Returns the writes that invalidate a former device token, if any. They fail if the device now has another token. */
export const endFormerToken = (
  sensorId: string,
  { hash, formerHash }: Pick<DeviceLink, 'hash' | 'formerHash'>,
): Write[] => {
  if (formerHash === undefined) return [];
  const forget = changes({ remove: ['formerHash', 'formerUntil'], if: isUnchanged({ hash }) });
  return [
    { remove: items.device({ hash: formerHash }) },
    { update: items.deviceOfSensor({ sensorId }), changes: forget },
  ];
};

const tokenWrites = (table: Table) => ({
  /**
   * Returns the device whose token has this hash at `now` (ms); null if the token is not valid. The first use of a new
   * token invalidates the one it replaces.
   */
  use: async (hash: string, now: number): Promise<Device | null> => {
    const device = await table.get<Device>(items.device({ hash }));
    if (!device || !isTokenValid(device, now)) return null;
    const { sensorId, replaces: formerHash } = device;
    if (formerHash === undefined) return device;
    const isUsed = changes({ remove: ['replaces'], if: where('#replaces = :former', { former: formerHash }) });
    // If this fails, another call with this token has invalidated the former token, or the token has just been
    // replaced.
    await table.write(...endFormerToken(sensorId, { hash, formerHash }), {
      update: items.device({ hash }),
      changes: isUsed,
    });
    return device;
  },

  /**
   * Allows a sensor to register once without a token, until the given time (ms), and invalidates any former token.
   * Returns false if the sensor does not exist.
   */
  allowRegistration: (customerId: number, sensorId: string, registrationUntil: number): Promise<boolean> =>
    retryOnConflict(async () => {
      const key = items.deviceOfSensor({ sensorId });
      const link = await table.get<DeviceLink>(key);
      if (!link) return false;
      const [first = { check: key, where: isUnchanged(link) }, ...others] = endFormerToken(sensorId, link);
      const failed = await table.write(touchSensor(customerId, sensorId, { registrationUntil }), first, ...others);
      if (failed === null) return true;
      return failed.includes(0) ? false : null;
    }),
});

/** Device tokens: using them, and invalidating former tokens. */
export const deviceTokens = (table: Table) => tokenWrites(table);
