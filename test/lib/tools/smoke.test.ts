import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type SmokeOptions, smoke } from '#lib/tools/smoke/smoke.ts';
import { createSteps } from '#lib/tools/smoke/steps.ts';
import { createTrace } from '#lib/tools/trace/trace.ts';
import type { Client } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
beforeAll(async () => {
  cloud = await startTestCloud();
  admin = await adminOf(cloud.url);
});
afterAll(() => cloud.stop());

const run = async (more: Partial<SmokeOptions> = {}) => {
  const lines: string[] = [];
  const login = { username: 'admin', password: ADMIN_PASSWORD };
  const said = { say: (line: string) => void lines.push(line), signal: new AbortController().signal };
  const held = await smoke({ base: cloud.url, login, seconds: 30, ...said, ...more });
  return { held, lines, text: lines.join('\n') };
};

/** Returns the counts for everything that a run could leave behind. */
const leftBehind = async () => {
  const customers = await admin.ok<{ name: string }[]>('GET', '/customers');
  const keys = await admin.ok<{ name: string }[]>('GET', '/provisioning-keys');
  const [sensors] = await admin.ok<{ total: number }[]>('GET', '/sensors');
  const [users] = await admin.ok<{ data: { username: string }[] }[]>('GET', '/users');
  const smoky = users?.data.filter(({ username }) => username.startsWith('smoke-')) ?? [];
  return [customers.length, keys.filter(({ name }) => name === 'smoke').length, sensors?.total, smoky.length];
};
const NOTHING = [0, 0, 0, 0];

test('the smoke test delivers a fall to a receiver on loopback and removes everything', async () => {
  const { held, lines, text } = await run();
  expect(held, text).toBe(true);
  expect(lines.filter((line) => !line.startsWith('           trace it'))).toEqual(
    lines.filter((line) => /^ *\d+ ms {2}\S/.test(line)),
  );
  for (const step of ['log in', 'link the sensor', 'the fall reaches the receiver', 'the receiver got it once, signed'])
    expect(text).toContain(step);
  expect(await leftBehind()).toEqual(NOTHING);
});

test('a fall from the smoke test can be traced even after the customer is deleted', async () => {
  const { text } = await run();
  const [, id = '', customer, webhookId] = /--delivery (\S+) --customer (\d+) --webhook (\S+)/.exec(text) ?? [];
  const known = { customerId: Number(customer), webhookId };
  const { steps } = await createTrace(cloud.runtime.table, { kind: 'delivery', id, known }, Date.now());
  const names = steps.map(({ step }) => step);
  expect(names).toEqual(expect.arrayContaining(['accepted', 'event', 'hit', 'delivery', 'attempt']));
});

test('the smoke test accepts a token, and prints no password, token or key', async () => {
  const { held, text } = await run({ login: { token: admin.token ?? '' } });
  expect(held, text).toBe(true);
  for (const secret of [ADMIN_PASSWORD, admin.token ?? '', 'whsec_']) expect(text).not.toContain(secret);
});

test("the smoke test reports a receiver's failed attempt and removes everything", async () => {
  const receiver = await startReceiver((_, response) => void response.writeHead(500).end());
  const { held, text } = await run({ receiver: receiver.url, seconds: 1 });
  await receiver.stop();
  expect(held).toBe(false);
  expect(text).toMatch(
    /FAILED {2}the fall reaches the receiver: the delivery \S+ is retrying; attempt 1 ended with 500/,
  );
  expect(await leftBehind()).toEqual(NOTHING);
});

test('a smoke test removes everything it created, even when stopped', async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    if (line.endsWith('create a bot')) stop.abort();
  };
  expect((await run({ say, signal: stop.signal })).held).toBe(false);
  expect(lines.join('\n')).toContain('FAILED  stopped before: create a webhook');
  const { held, text } = await run({ deviceUrl: 'http://127.0.0.1:9' });
  expect(held).toBe(false);
  expect(text).toMatch(/FAILED {2}register a device: .*(ECONNREFUSED|bad port)/);
  expect(await leftBehind()).toEqual(NOTHING);
});

test('the smoke test rejects a user who is not a system admin', async () => {
  const { username, password } = await createHome(admin, 'nurse', ['manage_users']);
  const { held, text } = await run({ login: { username, password } });
  expect([held, text]).toEqual([false, expect.stringMatching(/FAILED {2}log in as a system admin: this user is not /)]);
});

test('cleanUp undoes everything, newest first, and continues after printing a failure', async () => {
  const lines: string[] = [];
  const undone: string[] = [];
  const { undoLater, cleanUp } = createSteps(
    (line) => lines.push(line),
    () => 0,
    new AbortController().signal,
  );
  undoLater('a', async () => undone.push('a'));
  undoLater('b', async () => {
    throw new Error('not allowed');
  });
  undoLater('c', async () => undone.push('c'));
  expect([await cleanUp(), undone]).toEqual([false, ['c', 'a']]);
  expect(lines.join('\n')).toContain('NOT CLEAN: clean up: b: not allowed');
});
