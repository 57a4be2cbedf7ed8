import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Table } from '../engine/client.ts';
import { changes, type Write, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import {
  type DeliveryItem,
  type DeliveryKey,
  deliveryItemKey,
  deliveryOf,
  openAttributes,
  REDELIVERED,
  replayCount,
} from './delivery-item.ts';
import { leaveHeld } from './held.ts';

type State = Pick<Delivery, 'state' | 'reason'>;
/** Whether a held delivery was replaced by its redelivery: it has ended, and no count includes it. */
const isReplaced = ({ state, reason }: State): boolean => state === 'failed' && reason === 'replayed';
const hasEnded = (delivery: State): boolean =>
  delivery.state === 'delivered' || (delivery.state === 'failed' && !isReplaced(delivery));

/** Returns the writes to all counts that include a delivery when it ends as sent. */
const countWrites = (delivery: Delivery, now: number): Write[] => {
  if (isReplaced(delivery)) return [];
  const { webhookId, state } = delivery;
  const held = state === 'held' && webhookId !== null ? leaveHeld({ ...delivery, webhookId }) : [];
  return [...held, ...replayCount(delivery, 'sent', now)];
};

const redeliveryWrites = (table: Table) => ({
  /**
   * Ends a delivery in any state, because its redelivery was accepted, and updates all counts. A delivery being sent
   * ends too; its request may still arrive, with the same `webhook-id`. Returns the delivery as it was. Returns null if
   * it has already ended, or if its webhook or replay was deleted, in which case it ends as deleted.
   */
  endOriginal: async (key: DeliveryKey, now: number): Promise<Delivery | null> => {
    const end = async () => {
      const found = await table.get<DeliveryItem>(deliveryItemKey(key));
      if (!found || hasEnded(found)) return { ended: null };
      const original = deliveryOf(found);
      const set = { ...REDELIVERED, updateDate: now, nextAttempt: null };
      const update = changes({ set, remove: openAttributes, if: where('#state = :seen', { seen: found.state }) });
      const failed = await table.write(
        { update: deliveryItemKey(key), changes: update },
        ...countWrites(original, now),
      );
      // The delivery state has changed since the read.
      if (failed?.includes(0)) return null;
      return { ended: failed === null ? original : null };
    };
    return (await retryOnConflict(end)).ended;
  },
});

export const repetitions = (table: Table) => redeliveryWrites(table);
