import { customerFor, customerOfList } from '#shared/api/customer.ts';
import type { Call } from '#shared/api/operation.ts';
import { channelProblem, referenceProblem } from '#shared/api/rule-problems.ts';
import { serve } from '#shared/api/serve.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { matchesSearch, pageOf, sortedBy } from '#shared/domain/page.ts';
import type { FieldError, Problem } from '#shared/domain/problem.ts';
import type { Rule, RuleUpdate } from '#shared/domain/rule/rule.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { rules } from './contract.ts';

type CreateRule = (typeof rules)['operations']['createRule'];
type CheckUse = Exclude<
  CreateRule['uses'][number],
  'customers.get' | 'limits.nextNumber' | 'rules.create' | 'keep:quotas'
>;
type Refuse = (path: string, problem: Problem, values?: FieldError['values']) => never;

/**
 * Refuses a rule if this host does not support one of the channels, or if anything the rule refers to does not exist or
 * does not fit.
 */
const checkRule = async (
  { store, settings }: Pick<Deps<CheckUse>, 'store' | 'settings'>,
  customerId: number,
  rule: RuleUpdate,
  { before, refuse }: { before: Rule | null; refuse: Refuse },
): Promise<void> => {
  const found = channelProblem(settings, rule, before) ?? (await referenceProblem(store, customerId, rule));
  if (found) refuse(found.path, found.problem, found.values);
};

/** Creates a rule after checking everything it refers to. */
const createRule = async (
  { fail, refuse }: Pick<Call<CreateRule>, 'fail' | 'refuse'>,
  { store, settings, quotas, now }: Deps<Exclude<CreateRule['uses'][number], 'customers.get'>>,
  customerId: number,
  fields: RuleUpdate,
): Promise<Rule> => {
  await checkRule({ store, settings }, customerId, fields, { before: null, refuse });
  const time = now();
  const id = await store.limits.nextNumber('rules');
  const rule = { ...fields, id, customerId, createDate: time, updateDate: time };
  const result = await store.rules.create(rule, quotas);
  if (result === 'unknown_reference') return refuse('recipients', 'unknown_reference');
  return result === 'done' ? rule : fail('limit_reached', limitOf(quotas, result));
};

/** How many times per minute a rule can be tested. Each test can notify over a hundred people. */
const TESTS_PER_MINUTE = 5;

export const handler = serve(rules, {
  listRules: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    if (customerId === null) return pageOf([], query);
    const { searchText, sortBy } = query;
    if (searchText !== '') {
      const all = await store.rules.list(customerId, false);
      const found = all.filter(({ name, title, message }) => matchesSearch(searchText, name, title, message));
      return pageOf(sortedBy(found, sortBy), query);
    }
    // Only the rules on the page are read in full.
    const [page] = pageOf(sortedBy(await store.rules.sortFields(customerId), sortBy), query);
    const ids = page.data.map(({ id }) => id);
    return [{ ...page, data: sortedBy(await store.rules.getAll(customerId, ids), sortBy) }];
  },

  createRule: async (call, deps) => {
    const customerId = await customerFor(call, call.body.customerId, deps.store);
    return createRule(call, deps, customerId, call.body);
  },

  copyRule: async (call, deps) => {
    const { customerId, params, body, fail } = call;
    const rule = (await deps.store.rules.get(customerId, params.ruleId)) ?? fail('rule_not_found');
    return createRule(call, deps, customerId, { ...rule, name: body.name });
  },

  getRule: async ({ customerId, params, fail }, { store }) =>
    (await store.rules.get(customerId, params.ruleId)) ?? fail('rule_not_found'),

  updateRule: async ({ customerId, params, body, fail, refuse }, { store, settings, quotas, now }) =>
    retryOnConflict(async () => {
      const before = (await store.rules.get(customerId, params.ruleId)) ?? fail('rule_not_found');
      await checkRule({ store, settings }, customerId, body, { before, refuse });
      const { id, createDate } = before;
      // The date always increases, because it identifies the version being replaced.
      const rule = { ...body, id, customerId, createDate, updateDate: Math.max(now(), before.updateDate + 1) };
      const result = await store.rules.replace(before, rule, quotas.rulesOfOneSituation);
      if (result === 'unknown_reference') return refuse('recipients', 'unknown_reference');
      if (result === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'rulesOfOneSituation'));
      return result === 'done' ? rule : null;
    }),

  tryRule: async ({ customerId, params, fail }, deps) => {
    const { store, enqueue, log } = deps;
    const rule = (await store.rules.get(customerId, params.ruleId)) ?? fail('rule_not_found');
    const subject = `rule-test:${customerId}:${rule.id}`;
    const { count, seconds } = await store.limits.countFailure(subject, 60, deps.now());
    if (count > TESTS_PER_MINUTE) return fail('rate_limited', { waitSeconds: seconds });
    // Loaded on the first rule test.
    const { testsOf } = await import('./rule-tests.ts');
    const tests = await testsOf(deps, rule, await store.customers.get(customerId));
    const deliveries = tests.map(({ delivery }) => delivery);
    await Promise.all(deliveries.map((delivery) => store.deliveries.create(delivery, true)));
    // The sweep finds each delivery in the due index.
    const leaveToSweep = (error: unknown) =>
      log('warn', 'the tests of a rule are left to the sweep', { ruleId: rule.id }, error);
    await enqueue(deliveries.map(deliverTask)).catch(leaveToSweep);
    return {
      deliveries: tests.map(({ step, delivery: { id, webhookId, person } }) => ({
        id,
        webhookId,
        step,
        userId: person?.userId ?? null,
        by: person?.by ?? ('webhook' as const),
      })),
    };
  },

  deleteRule: async ({ customerId, params, fail }, { store }) =>
    retryOnConflict(async () => {
      const rule = (await store.rules.get(customerId, params.ruleId)) ?? fail('rule_not_found');
      return (await store.rules.remove(rule)) ? { status: 'OK' as const } : null;
    }),
});
