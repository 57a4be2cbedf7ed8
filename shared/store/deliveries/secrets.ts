import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table } from '../engine/client.ts';
import { changes, present } from '../engine/request.ts';
import { items } from '../table.ts';

const secretWrites = (table: Table) => ({
  /**
   * Replaces a webhook secret, or removes it if `secretKey` is null. The previous secret keeps signing until
   * `overlapEnds` (ms), or stops at once if that is null. Returns false if the webhook does not exist.
   */
  rotate: async (
    { customerId, id: webhookId }: Pick<WebhookRecord, 'customerId' | 'id'>,
    secretKey: string | null,
    overlapEnds: number | null,
    now: number,
  ): Promise<boolean> => {
    const set = { secretKey, updateDate: now };
    const update =
      overlapEnds === null
        ? { set, remove: ['previousSecret', 'previousUntil'] }
        : { set: { ...set, previousUntil: overlapEnds }, compute: { previousSecret: '#secretKey' } };
    return (await table.update(items.webhook({ customerId, webhookId }), changes({ ...update, if: present }))) !== null;
  },
});

export const secrets = (table: Table) => secretWrites(table);
