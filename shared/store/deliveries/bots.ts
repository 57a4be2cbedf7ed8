import type { Bot, BotUpdate } from '#shared/domain/people/bot.ts';
import { giveOne, takeOne } from '../counts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

export const botReads = (table: TableReader) => ({
  get: (customerId: number, botId: number) => table.get<Bot>(items.bot({ customerId, botId })),
  list: (customerId: number) => table.queryAll<Bot>({ pk: items.bot.pk({ customerId }), beginsWith: 'BOT#' }),
});

const botWrites = (table: Table) => ({
  /** Creates a bot, if its customer is there and has fewer than `most`. */
  create: async (bot: Bot, most: number): Promise<'customer_unknown' | 'limit_reached' | null> => {
    const { customerId, id: botId } = bot;
    const failed = await giveOne(
      table,
      { customerId, kind: 'bots', most },
      { put: { ...bot, ...items.bot({ customerId, botId }) } },
      { put: { ...items.owner({ kind: 'bot', id: botId }), customerId } },
    );
    return typeof failed === 'string' ? failed : null;
  },

  /** Changes name and language. Returns the changed bot, or null when there is none. */
  update: async (customerId: number, botId: number, given: BotUpdate, updateDate: number): Promise<Bot | null> => {
    const update = changes({ set: { ...given, updateDate }, if: present }, 'ALL_NEW');
    return (await table.update(items.bot({ customerId, botId }), update)) as Bot | null;
  },

  /** Removes a bot: no webhook joins it from then on. Its owner stays known until its webhooks are gone too. */
  remove: async (customerId: number, botId: number): Promise<boolean> => {
    const bot = { remove: items.bot({ customerId, botId }), where: present };
    return (await takeOne(table, { customerId, kind: 'bots' }, bot)).length === 0;
  },

  /** Deletes the entry that tells which customer the bot belonged to. */
  forget: async (customerId: number, botId: number): Promise<void> => {
    await table.write({
      remove: items.owner({ kind: 'bot', id: botId }),
      where: where('#customerId = :customerId', { customerId }),
    });
  },
});

export const bots = (table: Table) => ({ ...botReads(table), ...botWrites(table) });
