import { currentWatch } from '#shared/api/current-watch.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { By } from '#shared/domain/rule/recipient.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { MAX_INTERVAL } from '#shared/domain/watch/duty-gap.ts';
import type { Gap } from '#shared/domain/watch/gap.ts';
import { isCreation, mayOpen } from '#shared/domain/watch/opened-gaps.ts';
import type { ChangedCustomer, OpenedGaps, ReadWatch } from '#shared/store/people/watches.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { checkDuty } from './check-duty.ts';
import { watchChanges } from './contract.ts';
import { mailManagers, type WatchDeps } from './mail-managers.ts';

/** How long (ms) a change may take, after it is recorded, to be made and to appear in eventually consistent reads. */
const SETTLED_MS = 3_000;
/** How far back (ms) changes are listed if no earlier watch was computed. */
const FIRST_WINDOW_MS = 120_000;
const MAX_LINES = 200;
/** How much time (ms) a run leaves unused. The remaining customers are left to the next run. */
const MARGIN_MS = 15_000;

/** Returns the gaps opened by changes, along with those changes. */
const causesOf = async ({ store }: WatchDeps, customerId: number, { from, to, gaps }: OpenedGaps) => {
  const since = from ?? to - FIRST_WINDOW_MS;
  const { data } = await store.audit.page(customerId, [since, to], { page: 0, perPage: MAX_LINES, refused: false });
  // Without an earlier watch, it is unknown whether a creation opened the gap.
  const lines = data.filter((line) => from !== null || !isCreation(line));
  const changes = lines.filter((line) => gaps.some((gap) => mayOpen(gap, line)));
  return { gaps: gaps.filter((gap) => changes.some((line) => mayOpen(gap, line))), changes };
};

/** Sends emails about the gaps opened by changes. */
const mailGaps = (
  deps: WatchDeps,
  customerId: number,
  {
    gaps,
    changes,
    names,
  }: { gaps: readonly Gap[]; changes: readonly AuditEntry[]; names: ReadWatch['watch']['names'] },
): Promise<void> =>
  mailManagers(deps, customerId, async () => {
    const { gapMail } = await import('#shared/api/messages/gap-mail.ts');
    const url = deps.settings.PUBLIC_URL;
    return (locale, { name: customer, timeZone }) => gapMail(locale, { customer, timeZone, gaps, names, changes, url });
  });

/**
 * Emails about gaps opened since the watch was last checked, and returns those gaps. Null if another run got there
 * first.
 */
const checkGaps = async (deps: WatchDeps, customerId: number, stored: ReadWatch): Promise<Gap[] | null> => {
  const { store, log } = deps;
  if (stored.opened.length === 0) return [];
  // Done before the emails are sent, so no one gets them twice. If the watch was recomputed in the meantime, the next
  // run handles them all.
  if (!(await store.watches.put(customerId, { ...stored, opened: [] }, stored))) return null;
  const causes = await Promise.all(stored.opened.map((opened) => causesOf(deps, customerId, opened)));
  const gaps = causes.flatMap((cause) => cause.gaps);
  const changes = causes.flatMap((cause) => cause.changes).toSorted((line, other) => line.date - other.date);
  if (gaps.length > 0) {
    log('info', 'a change opened gaps about falls', { customerId, kinds: gaps.map(({ kind }) => kind) });
    await mailGaps(deps, customerId, { gaps, changes, names: stored.watch.names });
  }
  return gaps;
};

/** Checks a customer's changes. Changes too late for the computed watch are left to the next run. */
const checkCustomer = async (deps: WatchDeps, changed: ChangedCustomer): Promise<void> => {
  const { store } = deps;
  const { customerId, at } = changed;
  const stored = await currentWatch(deps, customerId, { waits: false });
  const gaps = stored ? await checkGaps(deps, customerId, stored) : [];
  // A change with a date in the future was made before the clock was set back.
  const isUnsettled = stored && stored.watch.date < at + SETTLED_MS && !isFuture(at, stored.watch.date);
  if (gaps === null || isUnsettled) return;
  const mailed = gaps.flatMap((gap): By[] => (gap.kind === 'nobody_on_duty' ? [gap.by] : []));
  const before = await store.dutyChecks.get(customerId);
  if (await checkDuty(deps, customerId, before, mailed)) await store.watches.endChange(changed);
};

/** Runs a check. If it fails, the next run repeats it. */
const attempt = async (
  { log, measure }: WatchDeps,
  customerId: number,
  check: () => Promise<unknown>,
): Promise<void> => {
  await check().catch((error: unknown) => {
    log('error', 'a change was not checked and is left to the next run', { customerId }, error);
    measure('TasksFailed', 1, { worker: watchChanges.name, kind: kindOfFailure(error) });
  });
};

/** Checks the customers that were changed, and those whose duty check is due. */
export const checkChanges = async (deps: WatchDeps, timeLeft: () => number): Promise<void> => {
  const { store, now } = deps;
  for (const check of await store.dutyChecks.list()) {
    // A check due later than the maximum interval allows was planned before the clock was set back.
    if (check.at > now() && !isFuture(check.at, now() + MAX_INTERVAL)) continue;
    if (timeLeft() < MARGIN_MS) return;
    await attempt(deps, check.customerId, () => checkDuty(deps, check.customerId, check));
  }
  for (const changed of await store.watches.changedCustomers()) {
    if (timeLeft() < MARGIN_MS) return;
    await attempt(deps, changed.customerId, () => checkCustomer(deps, changed));
  }
};

export const handler = onSchedule(watchChanges, () => checkChanges);
