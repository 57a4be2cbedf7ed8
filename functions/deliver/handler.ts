import { render } from '../../shared/delivery/formats/render.ts';
import { authHeaders, signatureHeaders } from '../../shared/delivery/sign.ts';
import type { Deps } from '../../shared/deps.ts';
import { afterAttempt, DEADLINE_SECONDS, type Delivery, LADDER, type Next } from '../../shared/domain/delivery.ts';
import { isNewsOfSuccess, type WebhookRecord } from '../../shared/domain/webhook.ts';
import { MAX_DELAY_SECONDS } from '../../shared/queue/bell.ts';
import { consume } from '../../shared/queue/consume.ts';
import { deliver } from './contract.ts';

type DeliverDeps = Deps<(typeof deliver)['uses'][number]>;
type Address = { customerId: number; webhookId: string; id: string };

/** An attempt is begun only when its whole deadline, and the writes around it, fit into what is left. */
const TIME_FOR_ONE = (DEADLINE_SECONDS + 5) * 1_000;

const scheduleOf = ({ settings }: DeliverDeps, { retrySchedule }: WebhookRecord): readonly number[] | null =>
  retrySchedule ?? (settings.RETRY_SCHEDULE.length > 0 ? settings.RETRY_SCHEDULE : null);

const bellOf = ({ customerId: c, webhookId: w, id: d }: Address) => ({ c, w, d });

/** The device's bytes, read where they are kept; the snapshot holds everything else. */
const rawOf = async ({ store }: DeliverDeps, { customerId, snapshot }: Delivery): Promise<string | null> => {
  const { source } = snapshot.event;
  return source === null ? null : ((await store.events.get(customerId, snapshot.sensor.id, source))?.raw ?? null);
};

const send = async (deps: DeliverDeps, delivery: Delivery, webhook: WebhookRecord) => {
  const { callee, settings, now } = deps;
  const { id, name, isCustomerHook, url, token, secretKey, authMethod, format } = webhook;
  const service = { name: settings.SERVICE_NAME, url: settings.PUBLIC_URL, version: settings.SERVICE_VERSION };
  const raw = await rawOf(deps, delivery);
  const body = render(format, delivery.snapshot, { service, webhook: { id, name, isCustomerHook }, raw });
  const nowSeconds = Math.floor(now() / 1_000);
  const secrets = secretKey === null ? [] : [secretKey];
  const auth = {
    method: authMethod,
    token,
    issuer: service.url,
    webhookId: id,
    targetUrl: url,
    deliveryId: delivery.id,
  };
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': `${service.name.replaceAll(/[^\w.-]/g, '-')}/${service.version}`,
    ...(await authHeaders({ ...auth, nowSeconds })),
    ...signatureHeaders({ id: delivery.id, timestampSeconds: nowSeconds, body, secrets, primary: secretKey }),
  };
  return callee.post({ url, headers, body });
};

/** Writes down what came of an attempt: the hit first, so that a crash in between repeats the attempt, not loses it. */
const record = async (deps: DeliverDeps, delivery: Delivery, webhook: WebhookRecord, next: Next): Promise<void> => {
  const { store, now, ringRetries } = deps;
  const { customerId, hit, sendTryTimes } = delivery;
  const sent = next.state === 'delivered';
  if (hit) await store.ruleHits.report(customerId, hit.id, hit.message, sendTryTimes, sent, now());
  const delaySeconds = next.state === 'retrying' ? (next.nextAttempt - now()) / 1_000 : 0;
  const isSoon = delaySeconds <= MAX_DELAY_SECONDS;
  await store.deliveries.record(delivery, next, now(), isSoon);
  if (next.state === 'retrying' && isSoon) await ringRetries([bellOf(delivery)], delaySeconds);
  if (sent && isNewsOfSuccess(webhook, now())) await store.webhooks.recordSuccess(webhook, now());
  if (!sent) await store.webhooks.recordFailure(webhook, now());
  if (next.state === 'failed' && next.reason === 'gone') await store.webhooks.disable(webhook, 'gone');
};

/** A schedule may delay the first attempt too. True: it is not yet time, and a bell will ring. */
const waitsForFirst = async (deps: DeliverDeps, address: Address, webhook: WebhookRecord): Promise<boolean> => {
  const firstSeconds = (scheduleOf(deps, webhook) ?? LADDER)[0] ?? 0;
  if (firstSeconds === 0) return false;
  const { store, now, ringRetries } = deps;
  const delivery = await store.deliveries.get(address.customerId, address.webhookId, address.id);
  const time = (delivery?.createDate ?? 0) + firstSeconds * 1_000;
  if (!delivery || delivery.attempts > 0 || time <= now()) return false;
  if (await store.deliveries.postpone(address, time)) await ringRetries([bellOf(address)], (time - now()) / 1_000);
  return true;
};

const attempt = async (deps: DeliverDeps, address: Address, webhook: WebhookRecord): Promise<void> => {
  const { store, now, random } = deps;
  const delivery = await store.deliveries.claim(address, now());
  if (!delivery) return;
  const outcome = await send(deps, delivery, webhook);
  const chance = Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
  await record(
    deps,
    delivery,
    webhook,
    afterAttempt(delivery.attempts, outcome, scheduleOf(deps, webhook), now(), chance),
  );
};

/** A read that may be late is enough to send by, but not to believe that a webhook has gone or is switched off. */
const webhookOf = async ({ store }: DeliverDeps, customerId: number, webhookId: string) => {
  const webhook = await store.webhooks.get(customerId, webhookId);
  return webhook?.isEnabled ? webhook : store.webhooks.get(customerId, webhookId, true);
};

export const handler = consume(deliver, async ({ c: customerId, w: webhookId, d: id }, deps, timeLeft) => {
  if (timeLeft() < TIME_FOR_ONE) throw new Error('no time left for another attempt');
  const { store, now } = deps;
  const address = { customerId, webhookId, id };
  const webhook = await webhookOf(deps, customerId, webhookId);
  if (!webhook) return store.deliveries.shelve(address, 'failed', 'deleted', now());
  if (!webhook.isEnabled) return store.deliveries.shelve(address, 'held', 'webhook_disabled', now());
  if (!(await waitsForFirst(deps, address, webhook))) await attempt(deps, address, webhook);
});
