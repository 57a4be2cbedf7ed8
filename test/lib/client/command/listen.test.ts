import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verify } from '#lib/client/verify.ts';
import { startReceiver } from '#lib/home/receiver.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';
import { type Home, startHome } from '#test/fixtures/command-io.ts';
import { type Others, startFeed, WEBHOOK } from '#test/fixtures/feed-service.ts';
import { ALL_PERMISSIONS, adminOf, createHome } from '#test/fixtures/home.ts';

let home: Home;
beforeEach(async () => {
  home = await startHome();
});
afterEach(() => home.remove());

/** A service with the given webhooks, plus the requests that changed them. */
const webhooks = (existing: object[] = []) => {
  const calls: [call: string, body: Record<string, unknown>][] = [];
  const others: Others = (call, text) => {
    const body = text === '' ? {} : JSON.parse(text);
    if (call === 'GET /users/me') return { status: 200, body: { id: 7, customerId: 3, isAdmin: false } };
    if (call === 'GET /webhooks')
      return { status: 200, body: [{ total: existing.length, page: 0, perPage: 200, data: existing }] };
    if (call === `GET /webhooks/${WEBHOOK}`) return { status: 200, body: existing[0] };
    if (call.startsWith('GET')) return null;
    calls.push([call, body]);
    return { status: 200, body: { ...body, id: WEBHOOK } };
  };
  return { calls, others };
};
const envOf = (url: string) => ({ SENSOR_CLOUD_URL: url, SENSOR_CLOUD_TOKEN: 'the-token' });

test('listen forwards and prints each message unchanged; Ctrl-C stops it and deletes the webhook', async () => {
  const { calls, others } = webhooks();
  const [service, local] = await Promise.all([startFeed(3, undefined, others), startReceiver()]);
  const listening = home.begin(`listen --forward-to ${local.url}`, { env: envOf(service.url) });
  await local.until(3);
  await service.untilTaken(3);
  listening.end();
  expect(await listening.code).toBe(0);
  expect(local.received.map(({ body }) => body)).toEqual(service.messages.map(({ body }) => body));
  expect(local.received.map(({ headers }) => headers['webhook-id'])).toEqual(['m1', 'm2', 'm3']);
  expect(Object.keys(local.received[0]?.headers ?? {}).sort()).toEqual([
    'connection',
    'content-length',
    'host',
    'webhook-id',
  ]);
  expect(listening.out).toEqual(
    ['m1', 'm2', 'm3'].map((id) => expect.stringMatching(new RegExp(`^[0-9:]{8}  ${id}  .*  200  \\d+ ms$`))),
  );
  const secret = JSON.parse(await readFile(home.file, 'utf8')).profiles.default.secret;
  expect(calls).toEqual([
    [
      'POST /webhooks',
      expect.objectContaining({ url: null, isCustomerHook: true, botId: null, customerId: 3, secretKey: secret }),
    ],
    [`DELETE /webhooks/${WEBHOOK}`, {}],
  ]);
  expect([...listening.out, ...listening.err].join('\n')).not.toContain(secret);
  await Promise.all([service.stop(), local.stop()]);
});

test('listen retries a message with increasing delays until a 2xx response, before moving on', async () => {
  const { others } = webhooks();
  const taken: number[] = [];
  const statuses = [500, 302, 200, 200];
  const service = await startFeed(2, undefined, others);
  const local = await startReceiver((_, response, count) => {
    taken.push(service.taken());
    response.writeHead(statuses[count - 1] ?? 200, { location: '/elsewhere' }).end();
  });
  const waited: number[] = [];
  const pause = async (seconds: number) => void waited.push(seconds);
  const listening = home.begin(`listen --json --forward-to ${local.url}`, { env: envOf(service.url), pause });
  await service.untilTaken(2);
  listening.end();
  expect(await listening.code).toBe(0);
  expect(local.received.map(({ body }) => body)).toEqual(['{"at":1}', '{"at":1}', '{"at":1}', '{"at":2}']);
  expect([taken, waited]).toEqual([
    [0, 0, 0, 0],
    [1, 2],
  ]);
  expect(listening.out.map((line) => JSON.parse(line))).toMatchObject([
    { id: 'm1', status: 500, retryIn: 1 },
    { id: 'm1', status: 302, retryIn: 2 },
    { id: 'm1', status: 200, retryIn: null },
    { id: 'm2', status: 200, retryIn: null },
  ]);
  await Promise.all([service.stop(), local.stop()]);
});

test('listen fetches a message again, with a new signature, after two minutes of failed attempts', async () => {
  const { others } = webhooks();
  let time = 0;
  const service = await startFeed(1, undefined, others);
  const local = await startReceiver((_, response, count) => void response.writeHead(count < 9 ? 503 : 200).end());
  const pause = async (seconds: number) => {
    time += seconds * 1_000;
  };
  const more = { env: envOf(service.url), pause, now: () => time };
  const listening = home.begin(`listen --forward-to ${local.url}`, more);
  await service.untilTaken(1);
  listening.end();
  expect(await listening.code).toBe(0);
  expect(local.received).toHaveLength(9);
  expect(service.asked.slice(0, 2).map(({ after }) => after)).toEqual([null, null]);
  await Promise.all([service.stop(), local.stop()]);
});

test('listen waits for a local server that is down, and Ctrl-C keeps the pending message', async () => {
  const { others } = webhooks();
  const service = await startFeed(1, undefined, others);
  const local = await startReceiver();
  await local.stop();
  const listening = home.begin(`listen --forward-to ${local.url}`, { env: envOf(service.url) });
  await listening.until(() => listening.out.length > 1);
  listening.end();
  expect(await listening.code).toBe(0);
  expect(listening.out[0]).toMatch(/ {2}m1 .*ECONNREFUSED .*, retrying in 1 s$/);
  expect(service.taken()).toBe(0);
  await service.stop();
});

test('listen reuses a webhook left behind by an earlier run, and keeps it with --keep', async () => {
  const left = { id: WEBHOOK, name: 'listen default on desk', url: null, botId: null, isCustomerHook: true };
  const { calls, others } = webhooks([{ ...left, id: 'another', url: 'https://example.com' }, left]);
  const [service, local] = await Promise.all([startFeed(1, undefined, others), startReceiver()]);
  const listening = home.begin(`listen --keep --format raw --forward-to ${local.url}`, { env: envOf(service.url) });
  await local.until(1);
  listening.end();
  expect(await listening.code).toBe(0);
  expect(calls).toEqual([
    [`PUT /webhooks/${WEBHOOK}`, expect.objectContaining({ format: 'raw', url: null, isEnabled: true })],
  ]);
  await Promise.all([service.stop(), local.stop()]);
});

test('listen keeps the webhook created for --bot, and uses a --webhook unchanged', async () => {
  for (const [args, expected] of [
    ['--bot 5', [['POST /webhooks', expect.objectContaining({ isCustomerHook: false, botId: 5 })]]],
    [`--webhook ${WEBHOOK}`, []],
  ] as const) {
    const { calls, others } = webhooks(args.startsWith('--webhook') ? [{ id: WEBHOOK, url: null }] : []);
    const [service, local] = await Promise.all([startFeed(1, undefined, others), startReceiver()]);
    const listening = home.begin(`listen ${args} --forward-to ${local.url}`, { env: envOf(service.url) });
    await local.until(1);
    listening.end();
    expect([await listening.code, calls]).toEqual([0, expected]);
    await Promise.all([service.stop(), local.stop()]);
  }
});

test('listen rejects a webhook that has a URL', async () => {
  const posted = webhooks([{ id: WEBHOOK, url: 'https://example.com' }]);
  const service = await startFeed(0, undefined, posted.others);
  const args = `listen --webhook ${WEBHOOK} --forward-to http://127.0.0.1:9`;
  const refused = await home.run(args, { env: envOf(service.url) });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('has a URL') });
  const off = await startFeed(0, () => 409, webhooks([{ id: WEBHOOK, url: null }]).others);
  const ended = await home.run(args, { env: envOf(off.url) });
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining(`the webhook ${WEBHOOK} is disabled`) });
  await Promise.all([service.stop(), off.stop()]);
});

test("a test sensor's fall reaches the local server, signed with the printed secret", async () => {
  const [cloud, local] = await Promise.all([startTestCloud(), startReceiver()]);
  const nurse = await createHome(await adminOf(cloud.url), 'elm', ALL_PERMISSIONS);
  await home.run(`login --url ${cloud.url} --username ${nurse.username}`, { answers: [nurse.password] });
  const { out: secret } = await home.run('listen --print-secret');
  const listening = home.begin(`listen --forward-to ${local.url}`);
  await listening.until(() => listening.err.length > 0);
  const sent = await home.run('send fall', { env: { SENSOR_CLOUD_PROVISIONING_KEY: PROVISIONING_KEY } });
  expect(sent).toMatchObject({ code: 0, err: '' });
  const isFall = ({ body }: { body: string }) => JSON.parse(body).event.action === 'fall_detected';
  while (!local.received.some(isFall)) await local.until(local.received.length + 1);
  const fall = local.received.find(isFall);
  await expect(verify(fall?.headers ?? {}, fall?.body ?? '', secret)).resolves.toMatchObject({
    id: fall?.headers['webhook-id'],
  });
  listening.end();
  expect(await listening.code).toBe(0);
  const [page] = await nurse.client.ok<{ total: number }[]>('GET', '/webhooks');
  expect(page?.total).toBe(0);
  await Promise.all([cloud.stop(), local.stop()]);
});

test('listen prints the signing secret only with --print-secret', async () => {
  const service = await startFeed(0);
  const first = await home.run('listen --print-secret', { env: envOf(service.url) });
  const again = await home.run('listen --print-secret --json', { env: envOf(service.url) });
  expect(first).toMatchObject({ code: 0, out: expect.stringMatching(/^whsec_[\w+/=]{32}$/) });
  expect(JSON.parse(again.out)).toEqual({ secret: first.out });
  await service.stop();
});
