import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Customer } from '#shared/domain/identity/customer.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, where } from '../engine/request.ts';
import { putCustomer } from '../people/customers.ts';
import { items } from '../table.ts';
import { putWebhook } from './webhooks.ts';

/** The webhook that receives feedback for the manufacturer, and its customer. */
export type FeedbackWebhook = { customerId: number; webhookId: string };

export const makerFeedbackReads = (table: TableReader) => ({
  home: () => table.get<FeedbackWebhook>(items.makerFeedback({})),
});

const makerFeedbackWrites = (table: Table) => ({
  /**
   * Creates the webhook for the feedback, and a separate customer for it. They replace `before`, which was deleted.
   * Writes nothing if another process got there first.
   */
  furnish: async (customer: Customer, webhook: WebhookRecord, before: FeedbackWebhook | null): Promise<void> => {
    const unchanged = before ? where('#webhookId = :before', { before: before.webhookId }) : absent;
    const home: FeedbackWebhook = { customerId: customer.id, webhookId: webhook.id };
    await table.write(
      { put: { ...home, ...items.makerFeedback({}) }, where: unchanged },
      ...putCustomer(customer, { hooks: { [webhook.id]: webhook.format }, webhooks: 1 }),
      ...putWebhook(webhook),
    );
  },
});

export const makerFeedback = (table: Table) => ({ ...makerFeedbackReads(table), ...makerFeedbackWrites(table) });
