import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Bot } from '#shared/domain/people/bot.ts';
import type { TableReader } from '../engine/client.ts';
import type { UserItem } from '../identity/users.ts';
import type { Key } from '../key.ts';
import { items } from '../table.ts';

export const recipientReads = (table: TableReader) => ({
  /** Returns webhooks and bots by id, with one batch read. */
  webhooks: async (customerId: number, webhookIds: ReadonlySet<string>, botIds: ReadonlySet<number>) => {
    const found = await table.getAll<WebhookRecord | Bot>([
      ...[...webhookIds].map((webhookId) => items.webhook({ customerId, webhookId })),
      ...[...botIds].map((botId) => items.bot({ customerId, botId })),
    ]);
    const webhooks = found.filter((item): item is WebhookRecord & Key => items.webhook.read(item) !== null);
    const bots = found.filter((item): item is Bot & Key => items.bot.read(item) !== null);
    return {
      webhooks: new Map(webhooks.map((webhook) => [webhook.id, webhook])),
      bots: new Map(bots.map((bot) => [bot.id, bot])),
    };
  },

  /**
   * Returns a user who may be notified about a customer, either one of the customer's users or a system admin. Returns
   * null if there is none.
   */
  person: async (customerId: number, userId: number): Promise<UserItem | null> => {
    const user = await table.get<UserItem>(items.user({ customerId, userId }));
    if (user) return user;
    const owner = await table.get<{ customerId: number }>(items.owner({ kind: 'user', id: userId }));
    const found = owner && (await table.get<UserItem>(items.user({ customerId: owner.customerId, userId })));
    return found?.isAdmin ? found : null;
  },
});

/** The recipients that rules can have. */
export const recipients = recipientReads;
