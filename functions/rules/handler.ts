import { customerFor, customerOfList } from '../../shared/api/customer.ts';
import type { Problem } from '../../shared/api/errors.ts';
import { serve } from '../../shared/api/serve.ts';
import { kinds } from '../../shared/domain/event.ts';
import { matches, pageOf, sorted } from '../../shared/domain/page.ts';
import type { RuleUpdate } from '../../shared/domain/rule.ts';
import type { StoreReader } from '../../shared/store/store.ts';
import { rules } from './contract.ts';

type Refuse = (path: string, problem: Problem) => never;

/** Everything that a rule names must be there, in the rule's own customer, and fit together. */
const checkNames = async (store: StoreReader, customerId: number, rule: RuleUpdate, refuse: Refuse): Promise<void> => {
  const { sensorId, sensorGroupId, regionId, recipients, situation } = rule;
  if (sensorId !== null && !(await store.sensors.get(customerId, sensorId))) refuse('sensorId', 'unknown_reference');
  if (sensorGroupId !== null && !(await store.sensorGroups.get(customerId, sensorGroupId)))
    refuse('sensorGroupId', 'unknown_reference');
  if (regionId !== null) refuse('regionId', 'unknown_reference');
  const webhookIds = [...new Set(recipients.map(({ webhookId }) => webhookId))];
  const found = new Map((await store.webhooks.getAll(customerId, webhookIds)).map((webhook) => [webhook.id, webhook]));
  for (const [at, { botId, webhookId }] of recipients.entries()) {
    const webhook = found.get(webhookId);
    if (!webhook) return refuse(`recipients.${at}.webhookId`, 'unknown_reference');
    if (webhook.botId !== botId) refuse(`recipients.${at}.botId`, 'foreign_webhook');
    if (webhook.format === 'custom1' && kinds[situation].code === null)
      refuse(`recipients.${at}.webhookId`, 'custom1_needs_code');
  }
};

export const handler = serve(rules, {
  listRules: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    const all = customerId === null ? [] : await store.rules.list(customerId);
    const found = all.filter(({ name, title, message }) => matches(query.searchText, name, title, message));
    return pageOf(sorted(found, query.sortBy), query);
  },

  createRule: async ({ caller, body, fail, refuse }, { store, now }) => {
    const customerId = await customerFor(caller, body.customerId, store, fail, refuse);
    await checkNames(store, customerId, body, refuse);
    const time = now();
    const id = await store.limits.nextNumber('rules');
    const rule = { ...body, id, customerId, createDate: time, updateDate: time };
    return (await store.rules.create(rule)) ? rule : refuse('recipients', 'unknown_reference');
  },

  getRule: async ({ customerId, params, fail }, { store }) =>
    (await store.rules.get(customerId, params.ruleId)) ?? fail('rule_not_found'),
});
