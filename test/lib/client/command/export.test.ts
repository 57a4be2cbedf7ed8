import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logInForJobs } from '#test/fixtures/logged-in-for-jobs.ts';
import { unzip } from '#test/fixtures/unzip.ts';

const { all, exportsOf, erasuresOf } = logInForJobs();
const idle = () => all.world.idle();
const files = async () => (await readdir(all.home.home)).filter((name) => name !== '.config');
const exportArgs = (more = '') => `export --sensor ${all.elm.sensorId} --reason asked ${more}`.trim();
const isDownload = ({ url }: Request) => new URL(url).pathname.includes('/v1/exports/');

test('export saves a ZIP file that only the owner can read, and prints the path', async () => {
  const path = join(all.home.home, 'all.zip');
  const { code, out, err } = await all.home.run(exportArgs(`--output ${path}`), {
    answers: [all.elm.password],
    pause: idle,
  });
  expect([code, out]).toEqual([0, path]);
  expect(err).toMatch(/^Export [0-9a-z]{26} started\.\n[1-9]\d* items$/);
  const saved = await unzip(await readFile(path));
  const [job] = await exportsOf();
  expect(JSON.parse(saved['manifest.json'] ?? '')).toMatchObject({
    id: job?.id,
    subject: { kind: 'sensor', id: all.elm.sensorId },
  });
  expect(saved['data.jsonl']).toContain('"item":"sensor"');
  expect([(await stat(path)).mode & 0o777, await files()]).toEqual([0o600, ['all.zip']]);
});

test('export does not replace an existing file without --force', async () => {
  const path = join(all.home.home, 'all.zip');
  await writeFile(path, 'mine', { mode: 0o644 });
  const refused = await all.home.run(exportArgs(`--output ${path}`));
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('all.zip already exists') });
  for (const other of [all.home.home, join(all.home.home, 'none', 'all.zip')])
    expect(await all.home.run(exportArgs(`--force --output ${other}`))).toMatchObject({ code: 1, out: '' });
  expect([await exportsOf(), await readFile(path, 'utf8'), await files()]).toEqual([[], 'mine', ['all.zip']]);
  const forced = await all.home.run(exportArgs(`--force --json --output ${path}`), {
    answers: [all.elm.password],
    pause: idle,
  });
  const [job] = await exportsOf();
  expect(JSON.parse(forced.out)).toMatchObject({ id: job?.id, state: 'completed', file: path });
  // For an hour, the URL is as sensitive as the file.
  expect(forced.out).not.toContain('signature');
  expect([(await stat(path)).mode & 0o777, Object.keys(await unzip(await readFile(path)))]).toEqual([
    0o600,
    ['data.jsonl', 'manifest.json'],
  ]);
});

test('export does not overwrite a file created during the download', async () => {
  const path = join(all.home.home, 'all.zip');
  const late = async (request: Request) => {
    if (isDownload(request)) await writeFile(path, 'mine');
    return fetch(request);
  };
  const args = exportArgs(`--output ${path}`);
  const refused = await all.home.run(args, { answers: [all.elm.password], pause: idle, fetch: late });
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/already exists[^\n]*$/) });
  expect([await readFile(path, 'utf8'), await files()]).toEqual(['mine', ['all.zip']]);
});

test('an aborted download leaves no file and can be repeated with --job', async () => {
  const path = join(all.home.home, 'all.zip');
  const credentials: unknown[] = [];
  const broken = async (request: Request) => {
    if (!isDownload(request)) return fetch(request);
    credentials.push(request.headers.get('authorization'));
    let turn = 0;
    const pull = (to: ReadableStreamDefaultController) =>
      turn++ ? to.error(new Error('it broke')) : to.enqueue(new Uint8Array(9));
    return new Response(new ReadableStream({ pull }));
  };
  const args = exportArgs(`--output ${path}`);
  const failed = await all.home.run(args, { answers: [all.elm.password], pause: idle, fetch: broken });
  const [, again = ''] = /`sensor-cloud (export --job [0-9a-z]{26})`: it broke$/.exec(failed.err) ?? [];
  expect([failed.code, failed.out, credentials, await files()]).toEqual([1, '', [null], []]);
  expect(await all.home.run(`${again} --output ${path}`, { answers: [all.elm.password] })).toMatchObject({
    code: 0,
    out: path,
  });
  expect(await exportsOf()).toHaveLength(1);
});

test('export reports a wrong password without printing it, and starts nothing', async () => {
  const refused = await all.home.run(exportArgs(), { answers: ['a-wrong-one'] });
  expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/\(400\)\.\n {2}password: \S/) });
  expect(refused.err).not.toContain('a-wrong-one');
  expect(await exportsOf()).toEqual([]);
});

test('export and erase refer users without a password to the console', async () => {
  const body = { message: 'Log in again', statusCode: 403 };
  const init = { status: 403, headers: { 'X-Error-Code': 'login_too_old' } };
  const byIssuer = async (request: Request) =>
    request.method === 'POST' && /(exports|erasures)$/.test(request.url) ? Response.json(body, init) : fetch(request);
  const answers = [all.elm.password];
  for (const args of [exportArgs(), `erase --sensor ${all.elm.sensorId} --reason asked --yes`])
    expect(await all.home.run(args, { answers, fetch: byIssuer }), args).toMatchObject({
      code: 1,
      err: expect.stringContaining('Use Personal data in the console'),
    });
});

test('an interrupted export explains how to get the result later', async () => {
  const running = all.home.begin(`${exportArgs()} --of-customer ${all.elm.customerId} --url ${all.world.url}`, {
    answers: [all.elm.password],
    pause: async () => running.end(),
  });
  expect(await running.code).toBe(1);
  const [job] = await exportsOf();
  const later = `export --job ${job?.id} --of-customer ${all.elm.customerId} --url ${all.world.url}`;
  expect(running.err.at(-1)).toBe(`The export ${job?.id} continues. To get its result, run \`sensor-cloud ${later}\`.`);
  await all.world.idle();
  const path = join(all.home.home, 'all.zip');
  expect(await all.home.run(`${later} --output ${path}`, { answers: [all.elm.password] })).toMatchObject({
    code: 0,
    out: path,
  });
});

test('export --no-wait prints the command that saves the file later', async () => {
  const started = await all.home.run(exportArgs('--no-wait'), { answers: [all.elm.password] });
  const [, id] =
    /^The export (\S+) is running\. To save it, run `sensor-cloud export --job \1`\.$/.exec(started.out) ?? [];
  expect([started.code, id]).toEqual([0, expect.any(String)]);
  await all.world.idle();
  await all.home.run(`erase --sensor ${all.elm.sensorId} --reason asked --yes`, { answers: [all.elm.password] });
  await all.world.idle();
  const late = await all.home.run(`export --job ${id}`);
  expect(late).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`The file of the export ${id} was deleted`),
  });
});

test('export waits out a brief outage, gives up on a long one, and reports failed jobs', async () => {
  const answers = [all.elm.password];
  const away = (times: number) => async (request: Request) => {
    if (request.url.match(/exports\/\w+$/) && times-- > 0) throw new TypeError('fetch failed');
    return fetch(request);
  };
  const path = join(all.home.home, 'all.zip');
  const awaited = await all.home.run(exportArgs(`--output ${path}`), { answers, pause: idle, fetch: away(3) });
  expect(awaited).toMatchObject({ code: 0, out: path });
  expect(awaited.err.match(/the service does not respond, retrying/g)).toHaveLength(3);
  let checks = 0;
  const mostlyDown = async (request: Request) => {
    if (!/exports\/\w+$/.test(request.url) || ++checks >= 40) return fetch(request);
    if (checks !== 20) throw new TypeError('fetch failed');
    return Response.json({ ...Object(await (await fetch(request)).json()), state: 'running' });
  };
  const patient = await all.home.run(exportArgs(`--force --output ${path}`), {
    answers,
    pause: idle,
    fetch: mostlyDown,
  });
  expect(patient).toMatchObject({ code: 0, out: path });
  const ended = await all.home.run(exportArgs(), { answers, pause: idle, fetch: away(100) });
  expect(ended).toMatchObject({ code: 1, err: expect.stringMatching(/does not respond\. The export \S+ continues\./) });
  const failing = async (request: Request) => {
    const response = await fetch(request);
    if (!/(exports|erasures)\/\w+$/.test(request.url)) return response;
    return Response.json({ ...Object(await response.json()), state: 'failed' });
  };
  const failed = await all.home.run(exportArgs(), { answers, pause: idle, fetch: failing });
  expect(failed).toMatchObject({
    code: 1,
    err: expect.stringMatching(/\nThe export \S+ failed\. Start it again\.$/),
  });
  const [job] = await exportsOf();
  await all.home.run(`erase --sensor ${all.elm.sensorId} --reason asked --yes`, { answers });
  const [erasure] = await erasuresOf();
  for (const args of [`export --job ${job?.id} --no-wait`, `erase --job ${erasure?.id}`])
    expect(await all.home.run(args, { fetch: failing })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/failed\. Start it again\.$/),
    });
});
