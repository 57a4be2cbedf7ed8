import type { OnDuty } from '#shared/domain/people/channel.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { present, where } from '../engine/request.ts';
import { items } from '../table.ts';

export const dutyReads = (table: TableReader) => ({
  /** The users of a customer who are on duty now, by their ids. */
  of: async (customerId: number, now: number): Promise<OnDuty[]> => {
    const all = await table.queryAll<OnDuty>({ pk: items.duty.pk({ customerId }), beginsWith: 'DUTY#' });
    return all.filter(({ until }) => until > now).map(({ userId, until }) => ({ userId, until }));
  },
});

const dutyWrites = (table: Table) => ({
  /** Notes that a user is on duty. False: there is no such user any more, or it may not log in. */
  begin: async (customerId: number, { userId, until }: OnDuty): Promise<boolean> => {
    const failed = await table.write(
      { put: { userId, until, ttl: Math.ceil(until / 1_000), ...items.duty({ customerId, userId }) } },
      { check: items.user({ customerId, userId }), where: where('#canLogin = :yes', { yes: true }) },
    );
    return failed === null;
  },
  end: async (customerId: number, userId: number): Promise<void> => {
    await table.write({ remove: items.duty({ customerId, userId }), where: present });
  },
});

export const duty = (table: Table) => ({ ...dutyReads(table), ...dutyWrites(table) });
