import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Table } from '../engine/client.ts';
import { changes, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import {
  counting,
  type DeliveryItem,
  type DeliveryKey,
  deliveryOf,
  keyOf,
  REDELIVERED,
  waitNames,
} from './delivery-item.ts';
import { counted } from './held.ts';

/** What becomes of deliveries that were sent again. */
const repetitionWrites = (table: Table) => ({
  /**
   * Ends a delivery because a repetition of it was taken, wherever it waits, and in every count that it is in; gives it as
   * it was. One that is being sent at this moment ends too: its request may still arrive, under the same `webhook-id`.
   * Null: it had ended before, or what counts it is gone (then it ends as what was deleted).
   */
  endOriginal: (key: DeliveryKey, now: number): Promise<Delivery | null> => {
    const end = async () => {
      const found = await table.get<DeliveryItem>(keyOf(key));
      // What was held and gave its place to a repetition has ended, and is in no count.
      const isReplaced = found?.state === 'failed' && found.reason === 'replayed';
      if (!found || found.state === 'delivered' || (found.state === 'failed' && !isReplaced)) return { ended: null };
      const original = deliveryOf(found);
      const set = { ...REDELIVERED, updateDate: now, nextAttempt: null };
      const update = changes({ set, remove: waitNames, if: where('#state = :seen', { seen: found.state }) });
      const { webhookId } = key;
      const held = found.state === 'held' && webhookId !== null ? [counted({ ...key, webhookId }, -1)] : [];
      const counts = isReplaced ? [] : [...held, ...counting(original, 'sent', now)];
      const failed = await table.write({ update: keyOf(key), changes: update }, ...counts);
      // It goes from one way of waiting to another meanwhile: then it is looked at again.
      if (failed?.includes(0)) return null;
      return { ended: failed === null ? original : null };
    };
    return retryOnConflict(end).then(({ ended }) => ended);
  },
});

export const repetitions = (table: Table) => repetitionWrites(table);
