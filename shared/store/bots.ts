import type { Bot } from '../domain/bot.ts';
import type { Table, TableReader } from './client.ts';
import { absent, present } from './request.ts';
import { items } from './table.ts';

export const botReads = (table: TableReader) => ({
  get: (customerId: number, botId: number) => table.get<Bot>(items.bot({ customerId, botId })),
  getAll: (customerId: number, botIds: readonly number[]) =>
    table.getAll<Bot>(botIds.map((botId) => items.bot({ customerId, botId }))),
  list: (customerId: number) => table.queryAll<Bot>({ pk: items.bot.pk({ customerId }), beginsWith: 'BOT#' }),
});

export const botWrites = (table: Table) => ({
  /** False when the customer does not exist. */
  create: async (bot: Bot): Promise<boolean> => {
    const { customerId, id: botId } = bot;
    const failed = await table.write(
      { put: { ...bot, ...items.bot({ customerId, botId }) }, where: absent },
      { put: { ...items.home({ kind: 'bot', id: botId }), customerId } },
      { check: items.customer({ customerId }), where: present },
    );
    return failed === null;
  },
});
