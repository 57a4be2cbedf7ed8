import { UserError } from '../user-error.ts';
import type { AccountClient } from './account.ts';
import type { TableExtras } from './template.ts';
import { type Timing, waitUntil } from './wait-until.ts';

type Tools = { account: AccountClient; say: (line: string) => void } & Timing;

/** The table `source` is recovered to the time `to` (ms, whole seconds) under the name `target`. */
type TableRecovery = { source: string; target: string; to: number };

const iso = (ms: number): string => new Date(ms).toISOString();

/** Throws a UserError if the table cannot be recovered to that time. */
const checkTime = async ({ source, to }: TableRecovery, { account }: Tools): Promise<void> => {
  const times = await account.recoverable(source);
  if (!times) throw new UserError(`The table ${source} has no point-in-time recovery, so it cannot be recovered.`);
  if (to >= times.from && to <= times.to) return;
  const range = `from ${iso(times.from)} to ${iso(times.to)}`;
  throw new UserError(`AWS can recover the table ${source} only to times ${range}, not to ${iso(to)}.`);
};

/**
 * Whether the recovered table exists and the indexes are active. Throws a UserError if the table cannot be restored, or
 * if another table has that name.
 */
export const isRestored = async (recovery: TableRecovery, tools: Tools): Promise<boolean> => {
  const { source, target } = recovery;
  const found = await tools.account.table(target);
  if (!found) await checkTime(recovery, tools);
  if (found?.source && found.source !== source)
    throw new UserError(
      `The table ${target} already exists, but was recovered from ${found.source}, not from ${source}.`,
    );
  return found?.isActive === true;
};

export const restore = async (recovery: TableRecovery, tools: Tools): Promise<void> => {
  const { source, target, to } = recovery;
  if (!(await tools.account.table(target))) await tools.account.restore(source, target, to);
  const isActive = () => isRestored(recovery, tools);
  await waitUntil(isActive, { what: `the table ${target} and its indexes are active`, minutes: 24 * 60 }, tools);
};

/** Returns the calls that add what the recovered table lacks. */
const missingExtras = async (target: string, { ttl, isRecoverable, isProtected }: TableExtras, { account }: Tools) => {
  const calls: (() => Promise<void>)[] = [];
  if (ttl !== null && !(await account.hasTtl(target))) calls.push(() => account.expireBy(target, ttl));
  if (isRecoverable && !(await account.recoverable(target))) calls.push(() => account.keepRecoverable(target));
  if (isProtected && !(await account.table(target))?.isProtected) calls.push(() => account.protect(target));
  return calls;
};

export const hasTableExtras = async (target: string, wanted: TableExtras, tools: Tools): Promise<boolean> =>
  (await missingExtras(target, wanted, tools)).length === 0;

export const addTableExtras = async (target: string, wanted: TableExtras, tools: Tools): Promise<void> => {
  const isComplete = async () => {
    const calls = await missingExtras(target, wanted, tools);
    for (const call of calls) await call();
    return calls.length === 0;
  };
  await waitUntil(isComplete, { what: `the table ${target} has TTL, recovery and protection`, minutes: 30 }, tools);
};
