import { customerFor, customerOfList } from '#shared/api/customer.ts';
import { findWebhook } from '#shared/api/find-webhook.ts';
import { serve } from '#shared/api/serve.ts';
import type { WebhookClient } from '#shared/delivery/webhook-client.ts';
import { circuitOf } from '#shared/domain/delivery/breaker.ts';
import { type WebhookRecord, type WebhookUpdate, webhookView } from '#shared/domain/delivery/webhook.ts';
import { mayManage } from '#shared/domain/delivery/webhook-access.ts';
import { canExpressSituation } from '#shared/domain/formats/formats.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { randomUuid, uuidV4Bytes, zBase32 } from '#shared/domain/ids.ts';
import { matchesSearch, pageOf, sortedBy } from '#shared/domain/page.ts';
import type { Problem } from '#shared/domain/problem.ts';
import { allRecipients } from '#shared/domain/rule/recipients.ts';
import type { Settings } from '#shared/runtime/env.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { webhooks } from './contract.ts';

type Refuse = (path: string, problem: Problem) => never;

const checkUrl = async (webhookClient: WebhookClient, url: string | null, refuse: Refuse): Promise<void> => {
  if (url === null) return;
  const target = await webhookClient.check(url);
  if (target.ok) return;
  refuse('url', target.reason === 'url_address' || target.reason === 'url_loopback' ? target.reason : 'url');
};

/**
 * Returns the fields to store with a URL. `isLoopbackDenied`: the URL must never lead to loopback, even if the host
 * name resolves to it later.
 */
const savedUrl = ({ ON_NETWORK }: Pick<Settings, 'ON_NETWORK'>) => (ON_NETWORK ? { isLoopbackDenied: true } : {});

const checkGroup = async (
  store: StoreOf<'sensorGroups.get'>,
  customerId: number,
  { sensorGroupId }: Pick<WebhookUpdate, 'sensorGroupId'>,
  refuse: Refuse,
): Promise<void> => {
  if (sensorGroupId !== null && !(await store.sensorGroups.get(customerId, sensorGroupId)))
    refuse('sensorGroupId', 'unknown_reference');
};

/** Whether an update sets a format that cannot express the situation in a rule for this webhook. */
const breaksRules = async (
  store: StoreOf<'rules.list'>,
  before: WebhookRecord,
  { format }: WebhookUpdate,
): Promise<boolean> => {
  if (format === before.format) return false;
  const rules = await store.rules.list(before.customerId);
  const naming = rules.filter((rule) => allRecipients(rule).some(({ webhookId }) => webhookId === before.id));
  return naming.some(({ situation }) => !canExpressSituation(format, situation));
};

const newToken = (random: (bytes: number) => Uint8Array): string => zBase32(uuidV4Bytes(random(16)));

export const handler = serve(webhooks, {
  listWebhooks: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    const all = customerId === null ? [] : await store.webhooks.list(customerId);
    const found = all.filter(
      (webhook) => mayManage(caller, webhook) && matchesSearch(query.searchText, webhook.name, webhook.url ?? ''),
    );
    return pageOf(sortedBy(found.map(webhookView), query.sortBy), query);
  },

  createWebhook: async (
    { caller, body, fail, refuse },
    { store, quotas, webhookClient, settings: stage, encryptSecret, now, random },
  ) => {
    if (!mayManage(caller, body)) return fail('forbidden');
    const customerId = await customerFor({ caller, fail, refuse }, body.customerId, store);
    await checkUrl(webhookClient, body.url, refuse);
    await checkGroup(store, customerId, body, refuse);
    const { secretKey = null, customerId: _, ...settings } = body;
    const time = now();
    const id = randomUuid(random);
    const token = newToken(random);
    const record = {
      ...settings,
      ...savedUrl(stage),
      id,
      customerId,
      createDate: time,
      updateDate: time,
      secretKey: secretKey === null ? null : await encryptSecret(secretKey, id),
      token: await encryptSecret(token, id),
      disabledReason: null,
      consecutiveFailures: 0,
    };
    const problem = await store.webhooks.create(record, quotas.webhooks);
    if (problem === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'webhooks'));
    if (problem === 'customer_unknown') return refuse('customerId', 'unknown_reference');
    if (problem) return refuse(body.botId === null ? 'sensorGroupId' : 'botId', 'unknown_reference');
    return { ...webhookView(record), token };
  },

  getWebhook: async (call, { store }) => webhookView(await findWebhook(call, store)),

  getCircuit: async (call, { store, now }) => circuitOf(await findWebhook(call, store), now()),

  updateWebhook: async (call, { store, webhookClient, settings, encryptSecret, now }) => {
    const { caller, customerId, params, body, fail, refuse } = call;
    if (!mayManage(caller, body)) return fail('forbidden');
    await checkGroup(store, customerId, body, refuse);
    const { secretKey } = body;
    const encrypted = secretKey ? { secretKey: await encryptSecret(secretKey, params.webhookId) } : {};
    const replace = async () => {
      const before = await findWebhook(call, store);
      // A URL saved under a less strict policy may stay.
      const isMoved = body.url !== before.url;
      if (isMoved) await checkUrl(webhookClient, body.url, refuse);
      if (await breaksRules(store, before, body)) refuse('format', 'format_loses_rules');
      const update = { ...body, ...encrypted, ...(isMoved && savedUrl(settings)) };
      const problem = await store.webhooks.replace(before, update, now());
      if (problem === 'unknown_reference' && body.botId !== null) return refuse('botId', 'unknown_reference');
      if (problem === 'unknown_reference' && body.sensorGroupId !== null)
        return refuse('sensorGroupId', 'unknown_reference');
      return problem === null ? before : null;
    };
    const { id } = await retryOnConflict(replace);
    // Read again, because the health and the disabled reason may have changed in the meantime.
    return webhookView((await store.webhooks.get(customerId, id)) ?? fail('webhook_not_found'));
  },

  deleteWebhook: async (call, { store, now }) => {
    const remove = async () => {
      const webhook = await findWebhook(call, store);
      return (await store.webhooks.remove(webhook, now())) ? { status: 'OK' as const } : null;
    };
    return retryOnConflict(remove);
  },

  markSeen: async ({ customerId, params, body: { date }, fail }, { store }) => {
    const webhook = (await store.webhooks.get(customerId, params.webhookId)) ?? fail('webhook_not_found');
    if (webhook.troubleDate === date) await store.health.clearFailures(webhook, date);
    return { status: 'OK' };
  },

  drawWebhookToken: async (call, { store, encryptSecret, now, random }) => {
    const token = newToken(random);
    const encrypted = await encryptSecret(token, call.params.webhookId);
    const replace = async () => {
      const webhook = await findWebhook(call, store);
      return (await store.webhooks.setToken(webhook, encrypted, now())) ? { token } : null;
    };
    return retryOnConflict(replace);
  },
});
