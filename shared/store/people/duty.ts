import type { RosterEntry } from '#shared/domain/people/roster.ts';
import type { DutyPlan, OwnDuty } from '#shared/domain/people/shifts.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { changes, present, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** How long (s) a user's own choice is kept after the duty ends: until all shifts the choice can end are over. */
const KEPT_SECONDS = 2 * 24 * 3_600;

type RosterItem = { entries: RosterEntry[] };
type StoredDuty = OwnDuty | RosterItem;

export const dutyReads = (table: TableReader) => ({
  /** Returns what decides who is on duty, except the time zone: users' own choices and the roster. Takes one query. */
  get: async (customerId: number): Promise<Omit<DutyPlan, 'timeZone'>> => {
    // Both kinds of items share this prefix.
    const found = await table.queryAll<StoredDuty>({ pk: items.duty.pk({ customerId }), beginsWith: 'DUTY' });
    const own = found.flatMap((item) => {
      if ('entries' in item) return [];
      const { userId, until, offSince } = item;
      return [{ userId, ...(until !== undefined && { until }), ...(offSince !== undefined && { offSince }) }];
    });
    return { own, roster: found.flatMap((item) => ('entries' in item ? item.entries : [])) };
  },
  /** Returns a customer's roster; empty until one is set. */
  roster: async (customerId: number): Promise<RosterEntry[]> =>
    (await table.get<RosterItem>(items.roster({ customerId })))?.entries ?? [],
});

const ttlAfter = (time: number): number => Math.ceil(time / 1_000) + KEPT_SECONDS;

const dutyWrites = (table: Table) => ({
  /** Puts a user on duty. Returns false if the user does not exist or may not log in. */
  begin: async (customerId: number, { userId, until }: { userId: number; until: number }): Promise<boolean> => {
    const set = { userId, until, ttl: ttlAfter(until) };
    const failed = await table.write(
      { update: items.duty({ customerId, userId }), changes: changes({ set }) },
      { check: items.user({ customerId, userId }), where: where('#canLogin = :yes', { yes: true }) },
    );
    return failed === null;
  },

  /** Takes a user off duty, unless the user has made another choice since `own` was read. */
  end: async (customerId: number, { userId, until, offSince }: OwnDuty, now: number): Promise<void> => {
    const same = (name: string, value: number | undefined) =>
      value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}Before`;
    const unchanged = where(`${same('until', until)} AND ${same('offSince', offSince)}`, {
      ...(until !== undefined && { untilBefore: until }),
      ...(offSince !== undefined && { offSinceBefore: offSince }),
    });
    const set = { userId, offSince: now, ttl: ttlAfter(now) };
    await table.update(items.duty({ customerId, userId }), changes({ set, remove: ['until'], if: unchanged }));
  },

  /** Replaces a customer's roster. Returns false if the customer does not exist. */
  setRoster: async (customerId: number, entries: readonly RosterEntry[]): Promise<boolean> => {
    const failed = await table.write(
      { put: { entries, ...items.roster({ customerId }) } },
      { check: items.customer({ customerId }), where: present },
    );
    return failed === null;
  },
});

export const duty = (table: Table) => ({ ...dutyReads(table), ...dutyWrites(table) });
