import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { signatureHeaders } from '#shared/delivery/sign.ts';
import { freePort } from '#test/fixtures/host.ts';

const page = readFileSync(new URL('../../../shared/delivery/RECEIVERS.md', import.meta.url), 'utf8');
const code = (language: string): string => page.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'receivers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Example = { language: string; file: string; probe: string[]; run: (file: string) => string[] };
const examples: Example[] = [
  { language: 'python', file: 'receiver.py', probe: ['python3', '-V'], run: (file) => ['python3', file] },
  { language: 'go', file: 'receiver.go', probe: ['go', 'version'], run: (file) => ['go', 'run', file] },
  { language: 'java', file: 'Receiver.java', probe: ['java', '-version'], run: (file) => ['java', file] },
  {
    language: 'csharp',
    file: 'Receiver.cs',
    // Older versions can only run projects.
    probe: ['sh', '-c', '[ "$(dotnet --version | cut -d. -f1)" -ge 10 ]'],
    run: (file) => ['dotnet', 'run', file],
  },
];
const canRun = ([command = '', ...args]: string[]): boolean => spawnSync(command, args).status === 0;

const secret = `whsec_${Buffer.from('the secret of a receiver').toString('base64')}`;
const older = 'an-older-secret-of-16';

/** Starts an example. Returns the URL, and a function that types a line into the terminal. */
const start = async ({ language, file, run }: Example) => {
  const path = join(folder, file);
  writeFileSync(path, code(language));
  // Runs in a process group, because `go run` starts the program as another process.
  const args = [`SECRET=${secret}`, `PORT=${await freePort()}`, ...run(path)];
  const child: ChildProcess = spawn('env', args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  stops.push(async () => {
    const ended = once(child, 'exit');
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    await ended;
  });
  if (!child.stdout) return expect.unreachable();
  for await (const line of createInterface(child.stdout)) {
    const [, port] = /^listening on (\d+)/.exec(line) ?? [];
    if (port) return { url: `http://127.0.0.1:${port}/`, type: (text: string) => child.stdin?.write(`${text}\n`) };
  }
  return expect.unreachable();
};

const post = async (url: string, body: string, headers: Record<string, string>) =>
  (await fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })).status;
const signed = (id: string, body: string, secrets: string[], seconds = Math.floor(Date.now() / 1_000)) =>
  signatureHeaders({ id, timestampSeconds: seconds, body, secrets, primary: null });

describe('receiver examples', () => {
  for (const example of examples) {
    const isInstalled = canRun(example.probe);
    const title = `${example.language} verifies signatures, responds at once, skips duplicates and acknowledges for a person`;
    test.skipIf(!isInstalled)(
      isInstalled ? title : `${title} (skipped: not installed)`,
      async () => {
        const acknowledged = await startReceiver();
        stops.push(acknowledged.stop);
        const { url, type } = await start(example);
        const acknowledgeUrl = acknowledged.url;
        const body = JSON.stringify({ acknowledgeUrl, sensor: { name: 'Zimmer 1 – Tür' }, event: { type: 'fall' } });

        expect(await post(url, body, {})).toBe(401);
        expect(await post(url, body, signed('a', body, [older]))).toBe(401);
        expect(await post(url, `${body} `, signed('a', body, [secret]))).toBe(401);
        expect(await post(url, body, { ...signed('a', body, [secret]), 'webhook-id': 'b' })).toBe(401);
        expect(await post(url, body, signed('a', body, [secret], 1_700_000_000))).toBe(401);
        // Two signatures are sent during secret rotation.
        expect(await post(url, body, signed('a', body, [older, secret]))).toBe(200);
        expect(await post(url, body, signed('a', body, [secret]))).toBe(200);
        expect(acknowledged.received).toEqual([]);
        type('Night desk');
        const [request] = await acknowledged.until(1);
        expect(JSON.parse(request?.body ?? '')).toEqual({ name: 'Night desk' });
        // The duplicate did not ask for a name, so one is enough. The next delivery asks again.
        expect(await post(url, body, signed('c', body, [secret]))).toBe(200);
        type('Day desk');
        const names = (await acknowledged.until(2)).map((one) => JSON.parse(one.body).name);
        expect(names).toEqual(['Night desk', 'Day desk']);
      },
      120_000,
    );
  }

  test.skipIf(!canRun(['openssl', 'version']))(
    'the shell example accepts the simple signature and rejects a different body',
    () => {
      const body = '{"name":"Zimmer 1 – Tür"}';
      const headers = signatureHeaders({ id: 'a', timestampSeconds: 1, body, secrets: [], primary: secret });
      const env = [`SECRET=${secret}`, `SIGNATURE=${headers['X-Service-Cloud-Signature']}`];
      const statusFor = (input: string) => spawnSync('env', [...env, 'bash', '-c', code('bash')], { input }).status;
      expect([statusFor(body), statusFor(`${body} `)]).toEqual([0, 1]);
    },
  );
});
