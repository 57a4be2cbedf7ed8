import { currentWatch } from '#shared/api/current-watch.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import type { Gap } from '#shared/domain/watch/gap.ts';
import { isCreation, mayOpen } from '#shared/domain/watch/opened-gaps.ts';
import type { Watch } from '#shared/domain/watch/watch.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { ChangedCustomer, OpenedGaps } from '#shared/store/people/watches.ts';
import { kindOfFailure } from '#shared/worker/failure.ts';
import { onSchedule } from '#shared/worker/on-host.ts';
import { watchChanges } from './contract.ts';

type WatchDeps = Deps<(typeof watchChanges)['uses'][number]>;

/** How long (ms) after it is recorded a change may take to be made, and until reads that may lag show it. */
const SETTLED_MS = 3_000;
/** How far back (ms) changes are listed if no watch was computed before them. */
const FIRST_WINDOW_MS = 120_000;
const MAX_LINES = 200;
/** How much time (ms) a run leaves unused. The other customers are left to the next run. */
const MARGIN_MS = 15_000;

/** Returns the gaps that changes opened, and those changes. */
const causesOf = async ({ store }: WatchDeps, customerId: number, { from, to, gaps }: OpenedGaps) => {
  const since = from ?? to - FIRST_WINDOW_MS;
  const { data } = await store.audit.page(customerId, [since, to], { page: 0, perPage: MAX_LINES, refused: false });
  // Without an earlier watch, nobody knows whether what is created now was covered before.
  const lines = data.filter((line) => from !== null || !isCreation(line));
  const changes = lines.filter((line) => gaps.some((gap) => mayOpen(gap, line)));
  return { gaps: gaps.filter((gap) => changes.some((line) => mayOpen(gap, line))), changes };
};

/** Mails the users who manage rules and have an address, each in their language. */
const mailManagers = async (
  { store, mail, settings }: WatchDeps,
  customerId: number,
  { gaps, changes, watch }: { gaps: readonly Gap[]; changes: readonly AuditEntry[]; watch: Watch },
): Promise<void> => {
  const customer = await store.customers.get(customerId);
  if (settings.MAIL_SENDER === '' || !customer) return;
  // The texts are loaded with the first mail.
  const { gapMail } = await import('#shared/api/messages/gap-mail.ts');
  const users = await store.users.list(customerId);
  const managers = users.filter((user) => user.canLogin && user.email !== '' && hasPermission(user, 'manage_rules'));
  const { name, timeZone } = customer;
  const values = { customer: name, timeZone, gaps, names: watch.names, changes, url: settings.PUBLIC_URL };
  await inBatches(managers, ({ email, locale }) => {
    const { subject, text } = gapMail(locale, values);
    return mail(email, subject, text);
  });
};

/** Checks the changes of a customer. Changes that the watch was computed too early to show are left to the next run. */
const checkCustomer = async (deps: WatchDeps, changed: ChangedCustomer): Promise<void> => {
  const { store, log } = deps;
  const { customerId, at } = changed;
  const stored = await currentWatch(deps, customerId, { waits: false });
  if (stored && stored.opened.length > 0) {
    // Before the mails, so that nobody gets them twice. If the watch was computed anew meanwhile, the next run has all of them.
    if (!(await store.watches.put(customerId, { ...stored, opened: [] }, stored))) return;
    const causes = await Promise.all(stored.opened.map((opened) => causesOf(deps, customerId, opened)));
    const gaps = causes.flatMap((cause) => cause.gaps);
    const changes = causes.flatMap((cause) => cause.changes).toSorted((line, other) => line.date - other.date);
    if (gaps.length > 0) {
      log('info', 'a change opened gaps about falls', { customerId, kinds: gaps.map(({ kind }) => kind) });
      await mailManagers(deps, customerId, { gaps, changes, watch: stored.watch });
    }
  }
  if (!stored || stored.watch.date >= at + SETTLED_MS) await store.watches.endChange(changed);
};

const checkChanges = async (deps: WatchDeps, timeLeft: () => number): Promise<void> => {
  const { store, log, measure } = deps;
  for (const changed of await store.watches.changedCustomers()) {
    if (timeLeft() < MARGIN_MS) return;
    await checkCustomer(deps, changed).catch((error: unknown) => {
      log('error', 'a change was not checked and is left to the next run', { customerId: changed.customerId }, error);
      measure('TasksFailed', 1, { worker: watchChanges.name, kind: kindOfFailure(error) });
    });
  }
};

export const handler = onSchedule(watchChanges, () => checkChanges);
