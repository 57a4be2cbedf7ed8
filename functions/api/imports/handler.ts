import { refuseRequester } from '#shared/api/erasure-requester.ts';
import { refuseAll } from '#shared/api/errors.ts';
import { problemMessages } from '#shared/api/messages/texts.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { actorOfCaller } from '#shared/domain/identity/audit.ts';
import { runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { INVITATIONS_PER_DAY } from '#shared/domain/identity/user.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { type ImportJob, importPermissions } from '#shared/domain/import/import-job.ts';
import type { ImportKind } from '#shared/domain/import/import-view.ts';
import { imports } from './contract.ts';
import type { ImportCall, ImportDeps, ImportPlan, Planning } from './plan.ts';
import { rowsOf } from './rows.ts';

/** The number of imports a customer can begin per day, not counting dry runs. */
const MAX_IMPORTS = 200;
const DAY_SECONDS = 86_400;

/** The planners, each loaded on the first import of its kind. */
const planners: Readonly<Record<ImportKind, (planning: Planning) => Promise<ImportPlan>>> = {
  users: async (planning) => (await import('./users.ts')).planUsers(planning),
  sensors: async (planning) => (await import('./sensors.ts')).planSensors(planning),
  rules: async (planning) => (await import('./rules.ts')).planRules(planning),
};

const viewOf = async (
  { customerId: _, imported, actor: _a, done: _d, problems, ...job }: ImportJob,
  locale: string,
) => {
  const messages = await problemMessages(locale, problems);
  const errors = problems.map(({ row, field }, at) => ({ row, field, message: messages[at] ?? '' }));
  return { ...job, kind: imported, errors };
};

/** Refuses the import if any row has a problem. Lists all problems in row order. */
const refuseRows = ({ problems }: ImportPlan): void =>
  refuseAll(
    problems
      .toSorted((a, b) => a.row - b.row)
      .map(({ row, field, problem, values }) => ({
        path: `${row}.${field}`,
        at: { row, field },
        problem,
        ...(values && { values }),
      })),
  );

/** Counts an import against the daily limits. */
const useLimits = async ({ customerId, query, fail }: ImportCall, { store, now }: ImportDeps, created: number) => {
  if (!(await store.limits.take(`imports:${customerId}`, MAX_IMPORTS, DAY_SECONDS, now())))
    return fail('rate_limited', { waitSeconds: DAY_SECONDS });
  if (query.kind !== 'users') return;
  const subject = `invitations:${customerId}`;
  for (let invited = 0; invited < created; invited++)
    if ((await store.limits.countWithin(subject, INVITATIONS_PER_DAY, DAY_SECONDS, now())) === null)
      return fail('limit_reached', { limit: { of: 'invitations', most: INVITATIONS_PER_DAY } });
};

export const handler = serve(imports, {
  createImport: async (call, deps) => {
    const { caller, customerId, query, locale, fail } = call;
    const { store, now, random, enqueue, log } = deps;
    const { kind, dryRun } = query;
    // Access tokens cannot create users or change permissions.
    const isForbidden = kind === 'users' && caller.kind !== 'session';
    if (isForbidden || !hasPermission(caller, importPermissions[kind])) return fail('forbidden');
    if (!(await store.customers.get(customerId))) return fail('customer_not_found');
    if (kind === 'users') await refuseRequester(call, deps);
    const rows = await rowsOf(call);
    const plan = await planners[kind]({ call, deps, rows });
    refuseRows(plan);
    if (plan.limit) return fail('limit_reached', { limit: plan.limit });
    const { created, updated } = plan;
    const counts = { rows: rows.length, created, updated };
    if (dryRun === 'true') return new Reply(counts, { status: 200 });
    await useLimits(call, deps, created);
    const createDate = now();
    const job: ImportJob = {
      ...counts,
      id: randomUlid(createDate, random),
      customerId,
      imported: kind,
      state: 'running',
      createDate,
      updateDate: createDate,
      actor: actorOfCaller(caller),
      done: 0,
      problems: [],
    };
    await store.imports.create(job, await plan.steps(), call.address);
    const task = runJobTask({ customerId, kind: 'import', id: job.id });
    await enqueue([task]).catch((error: unknown) => log('warn', 'an import is left to the sweep', {}, error));
    return viewOf(job, locale);
  },

  getImport: async ({ customerId, params, locale, fail }, { store }) =>
    viewOf((await store.imports.get({ customerId, id: params.importId })) ?? fail('job_not_found'), locale),
});
