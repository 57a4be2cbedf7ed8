import { customerFor, customerOfList } from '#shared/api/customer.ts';
import type { Call } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { canExpressSituation } from '#shared/domain/formats/formats.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { matchesSearch, pageOf, sortedBy } from '#shared/domain/page.ts';
import { notOffered, type SendableKinds } from '#shared/domain/people/sendable.ts';
import type { FieldError, Problem } from '#shared/domain/problem.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import { type NotificationPlan, recipientLists, webhooksIn } from '#shared/domain/rule/recipients.ts';
import type { Rule, RuleUpdate } from '#shared/domain/rule/rule.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { rules } from './contract.ts';

type Refuse = (path: string, problem: Problem, values?: FieldError['values']) => never;

type WatchedUses = 'sensors.get' | 'sensorGroups.get' | 'rooms.get';
type RecipientUses = 'webhooks.getAll' | 'recipients.person' | 'channels.verifiedOf';

/** A list of recipients, its path in the body, and the situation they are notified of. */
type RuleRecipients = { path: string; recipients: readonly Recipient[]; situation: RuleUpdate['situation'] };

const channelOf = ({ userId, by }: Recipient): string => `${userId} ${by}`;

/**
 * Checks that the host can send through all channels that a rule names. A change may keep unavailable ones that
 * `before` already names.
 */
const checkChannels = (
  settings: Pick<SendableKinds, 'CHANNEL_KINDS'>,
  rule: NotificationPlan,
  before: NotificationPlan | null,
  refuse: Refuse,
): void => {
  const kept = new Set(
    (before === null ? [] : recipientLists(before)).flatMap(({ recipients }) => recipients.map(channelOf)),
  );
  for (const { path, recipients } of recipientLists(rule))
    for (const [at, recipient] of recipients.entries()) {
      const { by } = recipient;
      if (by === undefined || settings.CHANNEL_KINDS.includes(by) || kept.has(channelOf(recipient))) continue;
      refuse(`${path}.${at}.by`, ...notOffered(settings));
    }
};

/**
 * Checks that all recipients belong to the customer of the rule and can be notified: webhooks of their bots, in a format that
 * supports the situation, and users through a verified channel.
 */
const checkRecipients = async (
  store: StoreOf<RecipientUses>,
  customerId: number,
  { path, recipients, situation }: RuleRecipients,
  refuse: Refuse,
): Promise<void> => {
  const webhookIds = webhooksIn(recipients).map(({ webhookId }) => webhookId);
  const webhooks = new Map(
    (await store.webhooks.getAll(customerId, webhookIds)).map((webhook) => [webhook.id, webhook]),
  );
  for (const [at, { botId, webhookId, userId, by }] of recipients.entries()) {
    if (webhookId !== undefined) {
      const webhook = webhooks.get(webhookId);
      if (!webhook) return refuse(`${path}.${at}.webhookId`, 'unknown_reference');
      if (webhook.botId !== botId) refuse(`${path}.${at}.botId`, 'foreign_webhook');
      if (!canExpressSituation(webhook.format, situation)) refuse(`${path}.${at}.webhookId`, 'format_cannot_tell');
    }
    if (userId === undefined) continue;
    const channels = await verifiedChannelsOf(store, customerId, userId);
    if (!channels) return refuse(`${path}.${at}.userId`, 'unknown_reference');
    if (!channels.some((channel) => channel.by === by)) refuse(`${path}.${at}.by`, 'not_reachable');
  }
};

/** Checks that everything a rule refers to exists, belongs to its customer, and fits together. */
const checkReferences = async (
  store: StoreOf<WatchedUses | RecipientUses>,
  customerId: number,
  rule: RuleUpdate,
  refuse: Refuse,
): Promise<void> => {
  const { sensorId, sensorGroupId, regionId, situation } = rule;
  if (sensorId !== null && !(await store.sensors.get(customerId, sensorId))) refuse('sensorId', 'unknown_reference');
  if (sensorGroupId !== null && !(await store.sensorGroups.get(customerId, sensorGroupId)))
    refuse('sensorGroupId', 'unknown_reference');
  if (sensorId !== null && regionId !== null) {
    const room = await store.rooms.get(customerId, sensorId);
    if (!room?.regions.some(({ id }) => id === regionId)) refuse('regionId', 'unknown_reference');
  }
  for (const { path, recipients } of recipientLists(rule))
    await checkRecipients(store, customerId, { path, recipients, situation }, refuse);
};

type CreateRule = (typeof rules)['operations']['createRule'];

/** Creates a rule after checking everything that it refers to. */
const createRule = async (
  { fail, refuse }: Pick<Call<CreateRule>, 'fail' | 'refuse'>,
  { store, settings, quotas, now }: Deps<Exclude<CreateRule['uses'][number], 'customers.get'>>,
  customerId: number,
  fields: RuleUpdate,
): Promise<Rule> => {
  checkChannels(settings, fields, null, refuse);
  await checkReferences(store, customerId, fields, refuse);
  const time = now();
  const id = await store.limits.nextNumber('rules');
  const rule = { ...fields, id, customerId, createDate: time, updateDate: time };
  const result = await store.rules.create(rule, quotas);
  if (result === 'unknown_reference') return refuse('recipients', 'unknown_reference');
  return result === 'done' ? rule : fail('limit_reached', limitOf(quotas, result));
};

/** How often a rule can be tested in a minute, because each test can notify over a hundred people. */
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
    // Only the rules of the page are read in full.
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
      checkChannels(settings, body, before, refuse);
      await checkReferences(store, customerId, body, refuse);
      const { id, createDate } = before;
      // The date always increases, because it identifies the version that a change replaces.
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
    // Loaded with the first test of a rule.
    const { testsOf } = await import('./rule-tests.ts');
    const tests = await testsOf(deps, rule, await store.customers.get(customerId));
    const deliveries = tests.map(({ delivery }) => delivery);
    await Promise.all(deliveries.map((delivery) => store.deliveries.create(delivery, true)));
    // Each is in the due index as well, where the sweep finds it.
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
