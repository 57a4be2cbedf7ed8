import type { OnDuty } from '#shared/domain/people/channel.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { present, where } from '../engine/request.ts';
import { items } from '../table.ts';

export const dutyReads = (table: TableReader) => ({
  /** Returns the users of a customer who are on duty now, sorted by id. */
  usersOnDuty: async (customerId: number, now: number): Promise<OnDuty[]> => {
    const found = await table.queryAll<OnDuty>({ pk: items.duty.pk({ customerId }), beginsWith: 'DUTY#' });
    return found.filter(({ until }) => until > now).map(({ userId, until }) => ({ userId, until }));
  },
});

const dutyWrites = (table: Table) => ({
  /** Puts a user on duty. False if the user does not exist, or may not log in. */
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
