import { afterAll, beforeAll, expect, test } from 'vitest';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';
import { createDeliveryWorld, ok, status } from '#test/fixtures/deliveries.ts';
import { homeAt } from '#test/fixtures/home.ts';
import { a } from '#test/fixtures/messages.ts';

/** Retries come after 5 s and then after an hour, so only a release can send a delivery soon. */
const HOURLY = [0, 5, 3_600, 3_600, 3_600];
const down = status(503, '');

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
beforeAll(async () => {
  world = await createDeliveryWorld({ log: () => {} });
});
afterAll(() => world.stop());

/** Advances time second by second, so each task runs when it is due. */
const passSeconds = async (seconds: number) => {
  for (let second = 0; second < seconds; second++) await world.pass(1_000);
};

/** Creates a home whose receiver is up. `states` returns the delivery states. */
const furnish = async (hook: object = {}) => {
  const home = await world.furnish({ retrySchedule: HOURLY, ...hook });
  const states = async () => (await home.list('?perPage=200')).data.map(({ state }) => state);
  return { ...home, states };
};

/** Creates a home with `falls` falls, a receiver that is down, and retries due in an hour. */
const outage = async (falls: number) => {
  const home = await furnish();
  world.answerWith(down);
  for (let at = 0; at < falls; at++) await home.fall();
  await world.pass(10_000);
  await world.pass(61_000);
  expect(new Set(await home.states())).toEqual(new Set(['retrying']));
  home.receiver.received.length = 0;
  return home;
};

const countOf = (states: readonly string[], state: string) => states.filter((other) => other === state).length;

test('a receiver gets a pending fall within seconds of recovering', async () => {
  const home = await outage(1);
  world.answerWith(ok);
  await home.fall();
  await passSeconds(4);
  expect(await home.states()).toEqual(['delivered', 'delivered']);
  expect(home.receiver.received).toHaveLength(2);
});

test('a receiver gets 50 pending falls within 10 s of recovering', async () => {
  const home = await outage(50);
  world.answerWith(ok);
  await home.fall();
  await passSeconds(10);
  expect(home.receiver.received).toHaveLength(51);
  expect(countOf(await home.states(), 'delivered')).toBe(51);
});

test('the release stops when the receiver fails again', async () => {
  const home = await outage(50);
  let requests = 0;
  world.answerWith((response) => (requests++ === 0 ? ok : down)(response));
  await home.fall();
  await passSeconds(20);
  // The first request, three failing requests, and the requests in progress when the third failure is recorded.
  expect(requests).toBeLessThanOrEqual(1 + 3 + SLOTS_PER_WEBHOOK);
  expect(countOf(await home.states(), 'retrying')).toBe(50);
  world.answerWith(ok);
  await home.fall();
  await passSeconds(20);
  expect(countOf(await home.states(), 'delivered')).toBe(52);
});

test("the release respects the receiver's Retry-After", async () => {
  const home = await furnish();
  world.answerWith((response) => void response.writeHead(503, { 'Retry-After': '300' }).end());
  await home.fall();
  world.answerWith(ok);
  await home.fall();
  await passSeconds(5);
  expect(countOf(await home.states(), 'retrying')).toBe(1);
  await world.pass(290_000);
  expect(countOf(await home.states(), 'retrying')).toBe(1);
  await world.pass(10_000);
  expect(countOf(await home.states(), 'delivered')).toBe(2);
});

test('the release sends alarms before any other deliveries', async () => {
  const home = await furnish();
  const [rule] = await home.client.ok<{ data: { recipients: [] }[] }[]>('GET', '/rules');
  const recipients = rule?.data[0]?.recipients ?? [];
  for (const situation of ['occupied_room', 'empty_room'] as const)
    await homeAt(home.client).addRule({ name: situation, situation, recipients });
  world.answerWith(down);
  for (let at = 0; at < 2; at++) await home.say(a.presence(at === 0));
  for (let at = 0; at < 3; at++) await home.fall();
  await world.pass(10_000);
  await world.pass(61_000);
  world.answerWith(ok);
  home.receiver.received.length = 0;
  await home.fall();
  await passSeconds(5);
  const actions = home.receiver.received.map(({ body }) => JSON.parse(body).event.action);
  expect(actions.slice(0, 4)).toEqual(Array(4).fill('fall_detected'));
  expect(actions.slice(4).toSorted()).toEqual(['empty_room', 'occupied_room']);
});

test('a repeatedly rejected delivery keeps its place in the retry schedule', async () => {
  const home = await outage(1);
  const [rejected] = (await home.list()).data;
  world.answerWith((response) => {
    const isRejected = response.req.headers['webhook-id'] === rejected?.id;
    (isRejected ? status(422, '') : ok)(response);
  });
  for (let at = 0; at < 20; at++) {
    await home.fall();
    await passSeconds(3);
  }
  const [found] = (await home.list('?state=retrying')).data;
  expect(found).toMatchObject({ id: rejected?.id, nextAttempt: rejected?.nextAttempt });
  // The wait doubles before each further early attempt.
  expect(found?.attempts).toBeGreaterThan(3);
  expect(found?.attempts).toBeLessThan(10);
  world.answerWith(ok);
  await world.pass(Number(rejected?.nextAttempt) - world.now() + 1_000);
  expect(countOf(await home.states(), 'retrying')).toBe(0);
});

test('the release promptly retries a delivery whose attempt overlapped the recovery', async () => {
  const home = await furnish({ retrySchedule: [0, 3_600, 3_600] });
  world.answerWith(down);
  await home.fall();
  const hanging = Promise.withResolvers<void>();
  world.answerWith((response) => void hanging.promise.then(() => down(response)));
  const falls = [home.fall()];
  await home.receiver.until(2);
  world.answerWith(ok);
  falls.push(home.fall());
  await home.receiver.until(3);
  // The other delivery succeeds before this attempt fails.
  await expect.poll(async () => (await home.list('?state=delivered')).total).toBeGreaterThan(0);
  hanging.resolve();
  await Promise.all(falls);
  await passSeconds(5);
  expect(await home.states()).toEqual(Array(3).fill('delivered'));
});

test('pending deliveries are sent once the webhook has another URL', async () => {
  const home = await outage(3);
  const { hasSecretKey: _, health: __, ...webhook } = await home.client.ok<Record<string, unknown>>('GET', home.at);
  await home.client.ok('PUT', home.at, { ...webhook, url: `${webhook.url}/moved` });
  world.answerWith(ok);
  await home.fall();
  await passSeconds(4);
  expect(countOf(await home.states(), 'delivered')).toBe(4);
});
