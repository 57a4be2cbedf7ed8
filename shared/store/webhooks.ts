import type { WebhookRecord } from '../domain/webhook.ts';
import type { Table, TableReader } from './client.ts';
import { absent, changes, present, type Write, where } from './request.ts';
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

  /** Counts a failed attempt, whoever else counts at the same time. */
  recordFailure: async ({ customerId, id: webhookId }: WebhookRecord, now: number): Promise<void> => {
    await table.update(items.webhook({ customerId, webhookId }), {
      UpdateExpression: 'ADD consecutiveFailures :one SET failingSince = if_not_exists(failingSince, :now)',
      ExpressionAttributeValues: { ':one': 1, ':now': now },
      ...present,
    });
  },
  recordSuccess: async ({ customerId, id: webhookId }: WebhookRecord, now: number): Promise<void> => {
    const set = { consecutiveFailures: 0, lastSuccess: now };
    const update = changes({ set, remove: ['failingSince'], if: present });
    await table.update(items.webhook({ customerId, webhookId }), update);
  },
  /** Switches a webhook off for a reason; its owner switches it on again. */
  disable: async ({ customerId, id: webhookId }: WebhookRecord, disabledReason: string): Promise<void> => {
    const enabled = where('#isEnabled = :yes', { yes: true });
    const update = changes({ set: { isEnabled: false, disabledReason }, if: enabled });
    await table.update(items.webhook({ customerId, webhookId }), update);
  },
});
