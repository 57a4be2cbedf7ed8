import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import type { DeliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';
import { createPushBrowser } from '#test/fixtures/push-browser.ts';
import { startPushService } from '#test/fixtures/push-service.ts';

let service: Awaited<ReturnType<typeof startPushService>>;
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  service = await startPushService();
  world = await createPeopleWorld({
    log: () => {},
    environment: { PUSH_CONTACT: 'mailto:push@example.org' },
    wrap: (runtime) => {
      const client = createWebhookClient(runtime.settings, service.network);
      return { ...runtime, webhookClient: async () => client };
    },
  });
});
afterAll(() => Promise.all([world.stop(), service.stop()]));

const browser = createPushBrowser();
/** A home where a user who has subscribed to pushes is notified of a fall. */
const createFall = async (answer: Parameters<typeof service.answerWith>[0], more: object = {}) => {
  service.pushed.length = 0;
  service.answerWith(answer);
  const home = await world.furnish();
  const nora = await home.hire('Nora', {});
  const subscription = { endpoint: `${service.origin}/1`, keys: browser.keys };
  await nora.client.ok('GET', '/channels');
  await nora.client.ok('PUT', '/users/me/channels/push', { subscription });
  await home.rule([{ userId: nora.id, by: 'push' }], more);
  await home.fall();
  const newest = async () => {
    const [delivery] = await home.sent();
    return home.client.ok<DeliveryView & { attemptLog: object[] }>('GET', `${home.at}/${delivery?.id}`);
  };
  return { ...home, nora, newest };
};
type PushPayload = { tag: string; url: string };
const payloads = (): PushPayload[] => service.pushed.map(({ body }) => browser.read(body) as PushPayload);

test("records the push service's reason in the attempt", async () => {
  const { newest } = await createFall({ status: 403, body: '{"reason":"BadJwtToken"}' });
  expect(await newest()).toMatchObject({
    state: 'retrying',
    attemptLog: [{ status: null, error: 'status_403', responseBody: '{"reason":"BadJwtToken"}' }],
  });
});

test('ends a delivery if the browser has unsubscribed', async () => {
  const { newest } = await createFall({ status: 410, body: '{"reason":"Unregistered"}' });
  expect(await newest()).toMatchObject({
    state: 'failed',
    reason: 'gone',
    attemptLog: [{ error: 'gone', responseBody: '{"reason":"Unregistered"}' }],
  });
});

test('retries a push after the delay in the Retry-After header', async () => {
  const { newest } = await createFall({ status: 429, headers: { 'retry-after': '120' } });
  const { nextAttempt } = await newest();
  expect((nextAttempt ?? 0) - world.now()).toBeGreaterThan(100_000);
  service.answerWith({ status: 201 });
  await world.pass(125_000);
  expect(await newest()).toMatchObject({ state: 'delivered', attempts: 2 });
});

test('all pushes about a hit have the same tag', async () => {
  const { hits, nora } = await createFall({ status: 201 }, { repeatSeconds: 60 });
  await world.pass(65_000);
  const [hit] = await hits();
  const tag = `hit-${hit?.id}`;
  expect(payloads()).toMatchObject([{ tag }, { tag }]);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(payloads()[0]?.url ?? '', { method: 'POST', headers, body: '{}' });
  expect(await answer.json()).toMatchObject({ userId: nora.id, name: 'Nora' });
});
