import { spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Received, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { signatureHeaders } from '#shared/delivery/sign.ts';
import { NewWebhook } from '#shared/domain/delivery/webhook.ts';
import { formats } from '#shared/domain/formats/formats.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { eventually } from '#test/fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { freePort } from '#test/fixtures/host.ts';

// Sends a fall from a running service to the receivers in shared/delivery/receivers.

const fileOf = (name: string) => new URL(`../../shared/delivery/receivers/${name}`, import.meta.url).pathname;
const secretKey = `whsec_${Buffer.from('the secret of a receiver').toString('base64')}`;

let cloud: Cloud;
let client: Awaited<ReturnType<typeof createHome>>['client'];
let customerId: number;
beforeAll(async () => {
  cloud = await startTestCloud();
  ({ client, customerId } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS));
});
afterAll(() => cloud.stop());

/** Reports a fall to a rule whose webhook calls `url`. Returns a function that reads who acknowledged the alarm. */
const fallFor = async (url: string) => {
  const { rule } = await createAlarm(client, url, 'fall_detected', { secretKey });
  const { device, sensorId } = await linkSensor(client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  return async () => {
    type Hit = { ruleId: number; acknowledgement: { name: string } | null };
    const [page] = await client.ok<{ data: Hit[] }[]>('GET', `/customers/${customerId}/rule-hits`);
    return page?.data.find(({ ruleId }) => ruleId === rule.id)?.acknowledgement?.name;
  };
};
const bytesOf = ({ body }: Received) => Buffer.from(body);

const php = ['php', 'php8.4', 'php8.3', 'php8.2'].find((name) => spawnSync(name, ['-n', '-v']).status === 0);
const phpTitle = 'the PHP script verifies a fall, skips its duplicate and acknowledges it for a person';
test.skipIf(!php)(php ? phpTitle : `${phpTitle} (skipped: php is not installed)`, async () => {
  if (!php) return expect.unreachable();
  const folder = mkdtempSync(join(tmpdir(), 'php-'));
  const port = await freePort();
  const variables = [`SECRET=${secretKey}`, `FOLDER=${folder}`];
  const server = spawn('env', [...variables, php, '-n', '-S', `127.0.0.1:${port}`, fileOf('receiver.php')]);
  const log: string[] = [];
  await once(
    createInterface(server.stderr).on('line', (line) => log.push(line)),
    'line',
  );
  const url = `http://127.0.0.1:${port}/`;
  const acknowledgedBy = await fallFor(url);
  const [file = ''] = await eventually(() => {
    const files = readdirSync(folder);
    expect(files).toHaveLength(1);
    return files;
  });

  const body = readFileSync(join(folder, file), 'utf8');
  const id = 'another';
  const post = async (sent: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body: sent, headers })).status;
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const signed = signatureHeaders({ id, timestampSeconds, body, secrets: [secretKey], primary: null });
  const old = signatureHeaders({ id, timestampSeconds: 1_700_000_000, body, secrets: [secretKey], primary: null });
  expect(await post(body, {})).toBe(401);
  expect(await post(`${body} `, signed)).toBe(401);
  expect(await post(body, old)).toBe(401);
  // A body the script does not understand must not count as delivered.
  const unread = signatureHeaders({ id: 'u', timestampSeconds, body: '[', secrets: [secretKey], primary: null });
  expect(await post('[', unread)).toBe(500);
  expect(await post(body, signed)).toBe(200);
  expect(await post(body, signed)).toBe(200);
  expect(readdirSync(folder)).toHaveLength(2);
  expect(log.filter((line) => line.includes('fall/fall_detected'))).toHaveLength(2);

  const arguments_ = ['acknowledge', join(folder, file), 'Night desk'];
  const [code] = await once(spawn(php, ['-n', fileOf('receiver.php'), ...arguments_]), 'exit');
  expect([code, await acknowledgedBy()]).toEqual([0, 'Night desk']);
  server.kill();
  await once(server, 'exit');
  rmSync(folder, { recursive: true });
});

type FlowNode = { type: string; name?: string; func?: string; libs?: { var: string; module: string }[] };
/** Returns one of the flow's function nodes, as Node-RED runs it in a flow whose SECRET is `secret`. */
const functionOf = (nodes: FlowNode[], name: string, context: Map<string, unknown>, secret = secretKey) => {
  const { func = '', libs = [] } = nodes.find((node) => node.name === name) ?? {};
  expect(libs.every(({ module }) => module === 'crypto')).toBe(true);
  const run = new Function('msg', 'env', 'flow', 'node', ...libs.map((lib) => lib.var), func);
  const env = { get: (key: string) => (key === 'SECRET' ? secret : undefined) };
  const flow = {
    get: (key: string) => context.get(key),
    set: (key: string, value: unknown) => context.set(key, value),
  };
  return (msg: object) => run(msg, env, flow, { error: () => {} }, ...libs.map(() => crypto));
};

test('the Node-RED flow verifies a fall, skips duplicates and acknowledges it', async () => {
  const receiver = await startReceiver();
  const acknowledgedBy = await fallFor(receiver.url);
  const [request] = await receiver.until(1);
  await receiver.stop();
  if (!request) return expect.unreachable();
  const nodes: FlowNode[] = JSON.parse(readFileSync(fileOf('node-red.json'), 'utf8'));
  // Without `skipBodyParsing`, Node-RED parses the body, and no signature matches.
  expect(nodes.find(({ type }) => type === 'http in')).toMatchObject({ method: 'post', skipBodyParsing: true });

  const context = new Map<string, unknown>();
  const verify = functionOf(nodes, 'verify', context);
  const message = (payload = bytesOf(request), headers = request.headers) => ({ req: { headers }, payload });
  const refused = [null, expect.objectContaining({ statusCode: 401 }), null];
  expect(verify(message(Buffer.from(`${request.body} `)))).toEqual(refused);
  expect(verify(message(undefined, { ...request.headers, 'webhook-timestamp': '1700000000' }))).toEqual(refused);
  expect(verify(message(undefined, {}))).toEqual(refused);
  const withoutSecret = functionOf(nodes, 'verify', context, '');
  expect(withoutSecret(message())[1]).toMatchObject({ statusCode: 500 });
  const [alarm, none, response] = verify(message());
  expect([none, response]).toEqual([null, expect.objectContaining({ statusCode: 200 })]);
  expect(verify(message())).toEqual([null, null, expect.objectContaining({ statusCode: 200 })]);

  const acknowledge = functionOf(nodes, 'acknowledge', context);
  expect(acknowledge({ payload: 'Night desk' })).toBeNull();
  expect(functionOf(nodes, 'alarm', context)(alarm)).toMatchObject({ topic: 'fall/fall_detected' });
  const { url, headers, payload } = acknowledge({ payload: 'Night desk' });
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(payload) });
  expect(await acknowledgedBy()).toBe('Night desk');
});

test('the webhooks in the guides can be created', () => {
  const guides = readFileSync(new URL('../../shared/delivery/GUIDES.md', import.meta.url), 'utf8');
  const webhooks = [...guides.matchAll(/```json\n(.*?)\n```/gs)].map(([, block = '']) => JSON.parse(block));
  expect(webhooks).toHaveLength(7);
  for (const webhook of webhooks) {
    const { format, authMethod, secretKey } = NewWebhook.parse({ ...webhook, botId: 1 });
    if (formats[format].isForPeople) expect([authMethod, secretKey]).toEqual(['none', undefined]);
    else expect(authMethod !== 'none' || secretKey !== undefined).toBe(true);
  }
});
