import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { buildPackage, PACKAGE_NAME, packPackage } from '#lib/tools/client/pack.ts';
import own from '#package.json' with { type: 'json' };
import { settingsFrom } from '#shared/runtime/env.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { type Others, startFeed, WEBHOOK } from '#test/fixtures/feed-service.ts';
import { startHost } from '#test/fixtures/host.ts';

const run = promisify(execFile);
const root = new URL('../../..', import.meta.url).pathname;

/** A user's project with the packed client installed. Dependencies come from this clone. */
let project: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'));
  project = join(folder, 'project');
  await buildPackage(join(folder, 'made'), settingsFrom({}));
  const packed = await packPackage(join(folder, 'made'), folder);
  const installed = join(project, 'node_modules', PACKAGE_NAME);
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', packed, '-C', installed, '--strip-components', '1']);
  await symlink(join(root, 'node_modules/openapi-fetch'), join(project, 'node_modules/openapi-fetch'), 'junction');
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterAll(() => rm(join(project, '..'), { recursive: true }));

test("the package has the repository's version and depends only on openapi-fetch", async () => {
  const text = await readFile(join(project, 'node_modules', PACKAGE_NAME, 'package.json'), 'utf8');
  const { version, dependencies, license, bin } = JSON.parse(text);
  expect([version, license]).toEqual([own.version, own.license]);
  expect(bin).toEqual({ 'sensor-cloud': 'command.js' });
  expect(dependencies).toEqual({ 'openapi-fetch': own.dependencies['openapi-fetch'] });
});

test('a new project that uses the package receives and verifies a fall within the default limits', async () => {
  await using host = await startHost({ DATA_DIR: ':memory:' }, ['withoutDemo']);
  const story = join(project, 'story.mjs');
  await writeFile(
    story,
    `import { once } from 'node:events';
import { createServer } from 'node:http';
import { createClient, FakeDevice, listAll, ok, verify } from '${PACKAGE_NAME}';

const [baseUrl, password, provisioningKey] = process.argv.slice(2);
const cloud = createClient({ baseUrl, username: 'admin', password });
const customer = await ok(cloud.POST('/customers', { body: { name: 'Elm house', location: '', email: '' } }));
const customerId = customer.id;
const device = await FakeDevice.register({ baseUrl, provisioningKey, manufacturer: 'maker_b', hardwareId: '0000000000B1' });
await ok(cloud.POST('/sensors/link', { body: { manufacturer: 'maker_b', code: device.pairingCode, customerId } }));

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const url = 'http://127.0.0.1:' + server.address().port + '/hook';
const secretKey = 'a-secret-of-the-receiver';
const bot = await ok(cloud.POST('/bots', { body: { name: 'Nurse call', customerId } }));
const hook = { name: 'Nurse call', url, format: 'full', isCustomerHook: false, botId: bot.id, secretKey, customerId };
const { id: webhookId } = await ok(cloud.POST('/webhooks', { body: hook }));
const texts = { name: 'Falls', title: '{sensor}', message: '{time}', situation: 'fall_detected' };
await ok(cloud.POST('/rules', { body: { ...texts, recipients: [{ botId: bot.id, webhookId }], customerId } }));

const called = once(server, 'request');
await device.fall();
const [request, response] = await called;
const body = Buffer.concat(await request.toArray());
const { id } = await verify(request.headers, body, secretKey);
response.end();
server.close();
const names = [];
for await (const { name } of listAll(cloud, '/sensors', { query: { customerId } })) names.push(name);
console.log(JSON.stringify({ id, action: JSON.parse(body).event.action, names }));
`,
  );
  const { stdout } = await run(process.execPath, [story, host.url, ADMIN_PASSWORD, PROVISIONING_KEY]);
  expect(JSON.parse(stdout)).toEqual({ id: expect.any(String), action: 'fall_detected', names: ['Sensor 00B1'] });
});

test('the packaged command listens until Ctrl-C', async () => {
  const others: Others = (call) => (call.includes('/feed') ? null : { status: 200, body: { id: WEBHOOK, url: null } });
  const [service, local] = await Promise.all([startFeed(2, undefined, others), startReceiver()]);
  const bin = join(project, 'node_modules', PACKAGE_NAME, 'command.js');
  const env = { HOME: project, SENSOR_CLOUD_URL: service.url, SENSOR_CLOUD_TOKEN: 'the-token' };
  const args = [bin, 'listen', '--webhook', WEBHOOK, '--forward-to', local.url, '--json'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = child.stdout.toArray();
  const err = child.stderr.toArray();
  await service.untilTaken(2);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect([code, (await err).join('')]).toEqual([0, expect.stringMatching(/^Listening on webhook .*\n$/)]);
  const lines = (await out).join('').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(['m1', 'm2']);
  await Promise.all([service.stop(), local.stop()]);
});

test('the packaged types cover every path, parameter and field, in Node and in browsers', async () => {
  const lines = [
    `import { createClient, feed, listAll, ok, type Sensor, verify } from '${PACKAGE_NAME}';`,
    `const cloud = createClient({ baseUrl: '', token: '' });`,
    `const sensor: Sensor = await ok(cloud.GET('/sensors/{sensorId}', { params: { path: { sensorId: '' } } }));`,
    `const names: string[] = [];`,
    `for await (const one of listAll(cloud, '/sensors')) names.push(one.name);`,
    `await ok(cloud.POST('/bots', { body: { name: 'a field with a default may be left out' } }));`,
    `for await (const { body } of feed(cloud, '')) console.log(body.length, sensor.isActive, names);`,
    `const { id } = await verify(new Headers(), new Uint8Array(), ['', '']);`,
    `const length: number = id.length;`,
    '// @ts-expect-error an unknown path',
    `await cloud.GET('/sensor');`,
    '// @ts-expect-error a missing parameter',
    `await cloud.GET('/sensors/{sensorId}');`,
    '// @ts-expect-error a field of the wrong type',
    `await cloud.POST('/bots', { body: { name: length } });`,
    '// @ts-expect-error an unknown field',
    'sensor.nickname;',
    '// @ts-expect-error not a list',
    `listAll(cloud, '/sensors/{sensorId}');`,
    '// @ts-expect-error a list without its parameters',
    `listAll(cloud, '/customers/{customerId}/rule-hits');`,
    '// @ts-expect-error both a token and a user',
    `createClient({ baseUrl: '', token: '', username: '', password: '' });`,
    '// @ts-expect-error a verification that is not awaited',
    `verify(new Headers(), '', '').id;`,
  ];
  await writeFile(join(project, 'use.ts'), `${lines.join('\n')}\n`);
  const common = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--target',
    'esnext',
    '--types',
    '',
  ];
  for (const module of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const tsc = [
      join(root, 'node_modules/typescript-7/bin/tsc'),
      ...common,
      ...module,
      '--lib',
      'esnext,dom',
      'use.ts',
    ];
    const { stdout } = await run(process.execPath, tsc, { cwd: project }).catch((error) => error);
    expect(stdout).toBe('');
  }
});

test('the package imports nothing from Node and runs without Node globals', async () => {
  const used = 'createClient, FakeDevice, feed, listAll, ok, verify';
  const contents = `import { ${used} } from '${PACKAGE_NAME}'; globalThis.found = [${used}];`;
  const stdin = { contents, resolveDir: project };
  const options = { bundle: true, format: 'iife', platform: 'browser', metafile: true, write: false } as const;
  const { outputFiles, metafile } = await build({ ...options, stdin, logLevel: 'silent' });
  const from = Object.keys(metafile.inputs).filter((file) => !file.includes('openapi-fetch') && file !== '<stdin>');
  expect(from).toHaveLength(1);
  const text = await readFile(join(project, 'node_modules', PACKAGE_NAME, 'index.js'), 'utf8');
  expect(text.match(/\b(process|Buffer|require|global|setImmediate)\b(?=[.(])/g)).toBe(null);
  const { createContext, runInContext } = await import('node:vm');
  const web = createContext({ Headers, Request, Response, fetch, URL, URLSearchParams, FormData });
  runInContext(outputFiles[0]?.text ?? '', web);
  expect(web.found.map((member: unknown) => typeof member)).toEqual(Array(6).fill('function'));
});
