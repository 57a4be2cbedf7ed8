import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import { runStory } from '#lib/local/demo/story.ts';
import { clientOf, logIn } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { unreadableOf } from '../fixtures/tasks.ts';
import { toAccountAddress } from './gateway.ts';

let cloud: Awaited<ReturnType<typeof startTestCloud>>;
const emails: string[] = [];
const clock = skippingClock(Date.now());
/** How often (ms) the sweep redrives dead letters. */
const REDRIVE_INTERVAL = 900_000;
let maker: Receiver;
beforeAll(async () => {
  maker = await startReceiver();
  cloud = await startTestCloud({
    clock,
    say: (line) => void emails.push(line),
    log: () => {},
    // The receiver in the demo hangs once.
    environment: {
      DELIVERY_DEADLINE_SECONDS: '2',
      MAKER_A_FEEDBACK_URL: toAccountAddress(maker.url),
      CORS_ORIGINS: 'https://app.example.org',
    },
  });
});
afterAll(() => Promise.all([cloud.stop(), maker.stop()]));

const queues = () => {
  if (!('queues' in cloud.waiting)) throw new Error('the queues are not in this process');
  return cloud.waiting;
};

test('delivers a fall to a webhook whose receiver fails at first', async () => {
  const lines: string[] = [];
  const account = { username: 'admin', password: ADMIN_PASSWORD, provisioningKey: PROVISIONING_KEY };
  const passed = await runStory({ base: cloud.url, ...account, say: (line) => void lines.push(line) });
  expect(passed, lines.join('\n')).toBe(true);
});

test('emails a reset code that lets the user set a new password', async () => {
  const admin = await adminOf(cloud.url);
  const { customerId } = await createHome(admin, 'maple', []);
  const person = { username: 'a-nurse', password: 'a-long-password', firstName: 'A', lastName: 'B' };
  await admin.ok('POST', '/users', { ...person, customerId, email: 'a@example.com', permissions: [] });
  const anybody = clientOf(cloud.url);
  await anybody.ok('POST', '/users/password-reset', { username: person.username });
  const [mail = ''] = emails;
  expect(mail).toMatch(/^mail to a@example\.com: /);
  const [code] = /^[\w-]{32}$/m.exec(mail) ?? [];
  const newPassword = 'another-long-password';
  await anybody.ok('POST', '/users/password-reset/confirm', { code, newPassword });
  await logIn(anybody, person.username, newPassword);
});

test('sends signed feedback to the maker', async () => {
  const { client } = await createHome(await adminOf(cloud.url), 'birch', ALL_PERMISSIONS);
  const { sensorId } = await linkSensor(client);
  const opinion = { referenceDate: clock.now(), reason: 'dog', classification: 'FALSE_POSITIVE' };
  const calls = [1, 2].map(() => client.ok('POST', `/sensors/${sensorId}/feedback`, opinion));
  const answers = await Promise.all(calls);
  const received = await maker.until(2);
  const ids = received.map(({ body }) => JSON.parse(body).feedback.id);
  expect(ids.toSorted()).toEqual(answers.map(({ id }) => id).toSorted());
  for (const { headers } of received) expect(headers['webhook-signature']).toMatch(/^v1,/);
});

test('redrives dead letters on schedule, and quarantines unreadable ones', async () => {
  const { queues: all, dead } = queues();
  const names = ['events', 'timers', 'deliveries', 'retries'] as const;
  for (const name of names) dead[name].send(unreadableOf(name));
  clock.skipTo(clock.now() + REDRIVE_INTERVAL);
  await cloud.sweep();
  await cloud.idle();
  expect(names.map((name) => dead[name].stats().visible)).toEqual([0, 0, 0, 0]);
  const notes = all.quarantine.receive(10).map(({ body }) => JSON.parse(body).body);
  expect(notes).toEqual(names.map(() => 'no task'));
});

test('lets pages from an allowed origin send preflight requests to both APIs, and read their errors', async () => {
  const page = { origin: 'https://app.example.org', 'access-control-request-method': 'GET' };
  for (const path of ['/users/me', '/devices/id_00000000000000000000000/config']) {
    const asked = await clientOf(cloud.url).call('OPTIONS', path, undefined, page);
    const answered = await clientOf(cloud.url).call('GET', path, undefined, page);
    const allowed = [asked, answered].map(({ headers }) => headers.get('access-control-allow-origin'));
    expect([asked.status, answered.status, ...allowed]).toEqual([204, 401, page.origin, page.origin]);
  }
});

test("responds with 413 to a body that fits into an invocation but exceeds every operation's limit", async () => {
  const anybody = clientOf(cloud.url);
  const large = { username: 'x'.repeat(4_000_000), password: ADMIN_PASSWORD };
  expect((await anybody.call('POST', '/users/login', large)).status).toBe(413);
});
