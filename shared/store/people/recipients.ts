import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Bot } from '#shared/domain/people/bot.ts';
import type { TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { UserItem } from '../identity/users.ts';
import { items } from '../table.ts';
import { dutyReads } from './duty.ts';

export const recipientReads = (table: TableReader) => ({
  /** Webhooks and bots by their ids, in one batch read. */
  webhooks: async (customerId: number, webhookIds: ReadonlySet<string>, botIds: ReadonlySet<number>) => {
    const found = await table.getAll<Item>([
      ...[...webhookIds].map((webhookId) => items.webhook({ customerId, webhookId })),
      ...[...botIds].map((botId) => items.bot({ customerId, botId })),
    ]);
    const webhooks = found.filter((item) => items.webhook.read(item)) as unknown as WebhookRecord[];
    const bots = found.filter((item) => items.bot.read(item)) as unknown as Bot[];
    return {
      webhooks: new Map(webhooks.map((webhook) => [webhook.id, webhook])),
      bots: new Map(bots.map((bot) => [bot.id, bot])),
    };
  },

  /** A user who may be told of what happens at a customer: one of its own, or a system admin. Null: there is no such user. */
  person: async (customerId: number, userId: number): Promise<UserItem | null> => {
    const own = await table.get<UserItem>(items.user({ customerId, userId }));
    if (own) return own;
    const home = await table.get<{ customerId: number }>(items.owner({ kind: 'user', id: userId }));
    const found = home && (await table.get<UserItem>(items.user({ customerId: home.customerId, userId })));
    return found?.isAdmin ? found : null;
  },

  /** The users of a customer who are on duty now. */
  onDuty: dutyReads(table).of,
});

/** Those whom a rule may name. */
export const recipients = recipientReads;
