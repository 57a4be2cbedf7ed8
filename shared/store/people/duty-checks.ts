import type { ChannelKind } from '#shared/domain/people/channel.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * The check for a customer whose rules notify the users on duty. `at` (ms) is when it is due, and `missing` has the
 * channels that could not reach anyone on duty at the last check. `isMailed` is false until the rule managers have been
 * informed about these channels. `revision` counts the checks.
 */
export type DutyCheck = { customerId: number; at: number; missing: ChannelKind[]; isMailed: boolean; revision: number };

const storedCheck = ({ customerId, at, missing, isMailed, revision }: DutyCheck): DutyCheck => ({
  customerId,
  at,
  missing,
  isMailed,
  revision,
});

export const dutyCheckReads = (table: TableReader) => ({
  /** Returns the checks for all customers. */
  list: async (): Promise<DutyCheck[]> =>
    (await table.queryAll<DutyCheck>({ pk: items.dutyCheck.pk({}) })).map(storedCheck),
  /** Returns the check for a customer; null if there is none. */
  get: async (customerId: number): Promise<DutyCheck | null> => {
    const found = await table.get<DutyCheck>(items.dutyCheck({ customerId }));
    return found && storedCheck(found);
  },
});

const dutyCheckWrites = (table: Table) => ({
  /**
   * Replaces the check for a customer, and returns it, or null if another process got there first. `before` is null if
   * there is none yet.
   */
  put: async (check: Omit<DutyCheck, 'revision'>, before: DutyCheck | null): Promise<DutyCheck | null> => {
    const { customerId } = check;
    const next = { ...check, revision: (before?.revision ?? 0) + 1 };
    const unchanged = before ? where('#revision = :revision', { revision: before.revision }) : absent;
    const failed = await table.write({ put: { ...next, ...items.dutyCheck({ customerId }) }, where: unchanged });
    return failed === null ? next : null;
  },
  /** Ends the checks for a customer. */
  remove: async ({ customerId }: DutyCheck): Promise<void> => {
    await table.write({ remove: items.dutyCheck({ customerId }) });
  },
});

export const dutyChecks = (table: Table) => ({ ...dutyCheckReads(table), ...dutyCheckWrites(table) });
