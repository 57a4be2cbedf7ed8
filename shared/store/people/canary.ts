import type { Table, TableReader } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** The canary setup: the customer, the sensor, the encrypted device token, and the webhook URL. */
export type CanarySetup = { customerId: number; sensorId: string; deviceToken: string; url: string };
/**
 * The last canary fall: the message UUID, when (ms) it was sent, and when it arrived. `lastBack` (ms) is when any test
 * fall last arrived, and `mailed` when the operator was last emailed.
 */
type CanaryRound = { uuid: string; begun: number; back?: number; lastBack?: number; mailed?: number };

export const canaryReads = (table: TableReader) => ({
  setup: () => table.get<CanarySetup>(items.canaryHome({})),
  round: () => table.get<CanaryRound>(items.canaryRound({})),
});

const canaryWrites = (table: Table) => ({
  /** Stores the canary setup, and marks the device, whose messages are not counted as a customer's. */
  storeSetup: async (home: CanarySetup, deviceHash: string): Promise<void> => {
    await table.write(
      { put: { ...home, ...items.canaryHome({}) } },
      { update: items.device({ hash: deviceHash }), changes: changes({ set: { isCanary: true } }) },
    );
  },
  /** Records the start of a test fall. Returns the previous one; null if there was none. */
  startRound: async (uuid: string, begun: number): Promise<CanaryRound | null> => {
    const update = changes({ set: { uuid, begun }, remove: ['back'] }, 'ALL_OLD');
    const before = (await table.update(items.canaryRound({}), update)) as Partial<CanaryRound> | null;
    return before?.uuid === undefined ? null : (before as CanaryRound);
  },
  recordMail: async (mailed: number): Promise<void> => {
    await table.update(items.canaryRound({}), changes({ set: { mailed } }));
  },
  /** Records the arrival of a test fall. Returns false if it is not the latest test fall, or has already arrived. */
  completeRound: async (uuid: string, back: number): Promise<boolean> => {
    const isLast = where('#uuid = :uuid AND attribute_not_exists(#back)', { uuid });
    return (await table.update(items.canaryRound({}), changes({ set: { back, lastBack: back }, if: isLast }))) !== null;
  },
});

export const canary = (table: Table) => ({ ...canaryReads(table), ...canaryWrites(table) });
