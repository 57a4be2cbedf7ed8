import type { WebhookRecord } from '../domain/webhook.ts';
import type { Table, TableReader } from './client.ts';
import { absent, present, type Write } from './request.ts';
import { items } from './table.ts';

export const webhookReads = (table: TableReader) => ({
  get: (customerId: number, webhookId: string, consistent = false) =>
    table.get<WebhookRecord>(items.webhook({ customerId, webhookId }), consistent),
  getAll: (customerId: number, webhookIds: readonly string[]) =>
    table.getAll<WebhookRecord>(webhookIds.map((webhookId) => items.webhook({ customerId, webhookId }))),
  list: (customerId: number) =>
    table.queryAll<WebhookRecord>({ pk: items.webhook.pk({ customerId }), beginsWith: 'WEBHOOK#' }),
});

export const webhookWrites = (table: Table) => ({
  /** False when the customer or the bot does not exist (any more). */
  create: async (webhook: WebhookRecord): Promise<boolean> => {
    const { customerId, id: webhookId, botId } = webhook;
    const customer = items.customer({ customerId });
    const writes: Write[] = [
      { put: { ...webhook, ...items.webhook({ customerId, webhookId }) }, where: absent },
      { put: { ...items.home({ kind: 'webhook', id: webhookId }), customerId } },
      botId === null
        ? {
            update: customer,
            changes: {
              UpdateExpression: 'SET hooks.#id = :format',
              ExpressionAttributeNames: { '#id': webhookId },
              ExpressionAttributeValues: { ':format': webhook.format },
              ...present,
            },
          }
        : { check: items.bot({ customerId, botId }), where: present },
    ];
    return (await table.write(...writes)) === null;
  },
});
