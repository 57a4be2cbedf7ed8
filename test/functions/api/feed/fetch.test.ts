import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFeedWorld, type Fed, idsOf } from '#test/fixtures/feeds.ts';
import { fallMessage } from '#test/fixtures/home.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
beforeAll(async () => {
  world = await createFeedWorld();
});
afterAll(() => world.stop());

const SECRET = 'a-secret-of-16-or-more';
/** The fall's start, read from a body. */
const startOf = ({ body }: Fed): number => JSON.parse(body).event.raw.payload.timestamp;

test('a feed returns the headers and body that would be posted to a URL', async () => {
  const { fall, feed, client, at, receiver, token } = await world.furnish();
  await fall();
  const [fetched] = await feed();
  if (!fetched) throw new Error('nothing was fetched');
  const { headers, body, id } = fetched;
  expect(headers.Authorization).toBe(`Bearer ${token}`);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`);
  const {
    hasSecretKey: _,
    health: __,
    id: ___,
    customerId: ____,
    ...webhook
  } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, url: receiver.url });
  await client.ok('POST', `${at}/deliveries/${id}/redeliver`);
  await world.idle();
  const [posted] = receiver.received;
  expect(posted?.body).toBe(body);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const ofTransport = ['host', 'connection', 'accept-encoding', 'content-length'];
  const sent = Object.keys(posted?.headers ?? {});
  expect(sent.filter((name) => !ofTransport.includes(name)).toSorted()).toEqual(names.toSorted());
  const same = ['authorization', 'content-type', 'user-agent', 'webhook-id'];
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const name of same) expect(posted?.headers[name]).toBe(lower[name]);
});

test("a feed returns a sensor's falls in order, even within the same millisecond", async () => {
  const { say, feed } = await world.furnish();
  const first = world.now() - 100_000;
  const starts = Array.from({ length: 12 }, (_, at) => first + at * 1_000);
  const statusOf = (start: number, state: string) => fallMessage(state, start);
  await say(starts.slice(0, 8).flatMap((start) => [statusOf(start, 'calling'), statusOf(start, 'finished')]));
  for (const start of starts.slice(8)) await say(statusOf(start, 'calling'));
  const seen: number[] = [];
  let after = '';
  for (;;) {
    const page = await feed(`?limit=5${after}`);
    if (page.length === 0) break;
    seen.push(...page.map(startOf));
    after = `&after=${page.at(-1)?.id}`;
  }
  expect(seen).toEqual(starts);
});

test('the first fetch with `after` marks all deliveries up to that id as delivered', async () => {
  const { fall, feed, detail, tries, list } = await world.furnish();
  for (let n = 0; n < 3; n++) await fall();
  const fetchedAt = world.now();
  const given = await feed();
  expect(given).toHaveLength(3);
  expect((await list()).data.map(({ state, nextAttempt }) => [state, nextAttempt])).toEqual(
    Array.from({ length: 3 }, () => ['pending', null]),
  );
  world.skip(5_000);
  const [first, second, third] = idsOf(given);
  expect(idsOf(await feed(`?after=${second}`))).toEqual([third]);
  for (const id of [first, second]) {
    const { state, attempts, attemptLog } = await detail(id ?? '');
    expect({ state, attempts, log: attemptLog.length }).toEqual({ state: 'delivered', attempts: 1, log: 1 });
    expect(attemptLog[0]?.startDate).toBeGreaterThanOrEqual(fetchedAt);
    expect(attemptLog[0]?.startDate).toBeLessThan(fetchedAt + 5_000);
  }
  expect(await detail(third ?? '')).toMatchObject({ state: 'pending', attempts: 0 });
  // Repeating the request, or naming an earlier delivery, changes nothing.
  expect(idsOf(await feed(`?after=${second}`))).toEqual([third]);
  expect(idsOf(await feed(`?after=${first}`))).toEqual([third]);
  expect(await feed(`?after=${third}`)).toEqual([]);
  expect(await tries()).toMatchObject({ allSend: true, tries: [expect.any(Number)] });
});

test('a feed omits an escalation step once the alarm is acknowledged', async () => {
  const { client, fall, feed, customerId, at } = await world.furnish();
  const [{ data: [rule] = [] } = {}] = await client.ok<{ data?: { id: number; recipients: object[] }[] }[]>(
    'GET',
    '/rules',
  );
  const webhookId = at.split('/').at(-1);
  const recipients = rule?.recipients ?? [];
  const step = { afterSeconds: 30, recipients };
  const texts = { name: 'n', title: '{sensor}', message: 'm', situation: 'fall_detected' };
  await client.ok('PUT', `/rules/${rule?.id}`, { ...texts, recipients, escalation: [step] });
  await fall();
  const [first] = await feed();
  await feed(`?after=${first?.id}`);
  await world.pass(31_000);
  const [{ data: [hit] = [] } = {}] = await client.ok<{ data?: { id: number }[] }[]>(
    'GET',
    `/customers/${customerId}/rule-hits`,
  );
  expect(webhookId).toBeDefined();
  await client.ok('PUT', `/customers/${customerId}/rule-hits/${hit?.id}/acknowledgement`, {});
  expect(await feed()).toEqual([]);
});

test('a feed returns tests and resent deliveries, even for bot webhooks', async () => {
  const { client, at, feed, fall } = await world.furnish({ isCustomerHook: false });
  await client.ok('POST', `${at}/test`);
  await world.idle();
  const [ping] = await feed();
  expect(ping?.headers['X-Service-Cloud-Test']).toBe('true');
  await feed(`?after=${ping?.id}`);
  await fall();
  const [alarm] = await feed();
  await feed(`?after=${alarm?.id}`);
  const { deliveryId } = await client.ok<{ deliveryId: string }>('POST', `${at}/deliveries/${alarm?.id}/redeliver`);
  await world.idle();
  const [resent] = await feed();
  expect(resent).toMatchObject({ id: deliveryId, body: alarm?.body });
  expect(resent?.headers['webhook-id']).toBe(alarm?.id);
});
