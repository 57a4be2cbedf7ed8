import type { Bot, BotUpdate } from '#shared/domain/people/bot.ts';
import { addOne, removeOne } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

export const botReads = (table: TableReader) => ({
  get: (customerId: number, botId: number) => table.get<Bot>(items.bot({ customerId, botId })),
  list: (customerId: number) => table.queryAll<Bot>({ pk: items.bot.pk({ customerId }), beginsWith: 'BOT#' }),
});

const botWrites = (table: Table) => ({
  /** Creates a bot if the customer exists and has fewer than `limit` bots. */
  create: async (bot: Bot, limit: number): Promise<'customer_unknown' | 'limit_reached' | null> => {
    const { customerId, id: botId } = bot;
    const failed = await addOne(
      table,
      { customerId, kind: 'bots', limit },
      { put: { ...bot, ...items.bot({ customerId, botId }) } },
      { put: { ...items.owner({ kind: 'bot', id: botId }), customerId } },
    );
    return typeof failed === 'string' ? failed : null;
  },

  /** Changes a bot's name and language. Returns the changed bot, or null if it does not exist. */
  update: async (customerId: number, botId: number, update: BotUpdate, updateDate: number): Promise<Bot | null> => {
    const change = changes({ set: { ...update, updateDate }, if: present }, 'ALL_NEW');
    return (await table.update(items.bot({ customerId, botId }), change)) as Bot | null;
  },

  /** Removes a bot. No more webhooks can be assigned to it. The owner item stays until the webhooks are deleted too. */
  remove: async (customerId: number, botId: number): Promise<boolean> => {
    const bot = { remove: items.bot({ customerId, botId }), where: present };
    return (await removeOne(table, { customerId, kind: 'bots' }, bot)).length === 0;
  },

  /** Removes the item that names the owner of a deleted bot. */
  forget: async (customerId: number, botId: number): Promise<void> => {
    await table.write({
      remove: items.owner({ kind: 'bot', id: botId }),
      where: where('#customerId = :customerId', { customerId }),
    });
  },
});

export const bots = (table: Table) => ({ ...botReads(table), ...botWrites(table) });
