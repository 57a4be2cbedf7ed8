import type { Table, TableReader } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * Where the canary lives: its customer, its sensor with the sealed token of its device, and the address that its webhook
 * calls.
 */
export type CanaryHome = { customerId: number; sensorId: string; deviceToken: string; url: string };
/**
 * The last fall of the canary: its message, when (ms) the canary began, and when it came back; `lastBack` (ms) is when any
 * came back last.
 */
type CanaryRound = { uuid: string; begun: number; back?: number; lastBack?: number };

export const canaryReads = (table: TableReader) => ({
  home: () => table.get<CanaryHome>(items.canaryHome({})),
  round: () => table.get<CanaryRound>(items.canaryRound({})),
});

const canaryWrites = (table: Table) => ({
  /** Keeps where the canary lives, and marks its device: what it says is not counted as a message of a home. */
  settle: async (home: CanaryHome, deviceHash: string): Promise<void> => {
    await table.write(
      { put: { ...home, ...items.canaryHome({}) } },
      { update: items.device({ hash: deviceHash }), changes: changes({ set: { isCanary: true } }) },
    );
  },
  begin: async (uuid: string, begun: number): Promise<void> => {
    await table.update(items.canaryRound({}), changes({ set: { uuid, begun }, remove: ['back'] }));
  },
  /** Notes that a fall came back. False when it is not the last one, or came back before. */
  comeBack: async (uuid: string, back: number): Promise<boolean> => {
    const isLast = where('#uuid = :uuid AND attribute_not_exists(#back)', { uuid });
    return (await table.update(items.canaryRound({}), changes({ set: { back, lastBack: back }, if: isLast }))) !== null;
  },
});

export const canary = (table: Table) => ({ ...canaryReads(table), ...canaryWrites(table) });
