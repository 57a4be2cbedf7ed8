import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Received } from '#lib/home/receiver.ts';
import { secretsKey } from '#lib/local/lambda/cipher.ts';
import { rejectedPaths } from '#test/fixtures/answers.ts';
import { createDeliveryWorld } from '#test/fixtures/deliveries.ts';

type World = Awaited<ReturnType<typeof createDeliveryWorld>>;
let world: World;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.stop());

const [OLD, NEW] = ['the-old-secret-of-16', 'the-new-secret-of-16'] as const;
/** Returns which secrets signed a request, in the D2 header and in the standard one. */
const signers = ({ headers, body }: Received) => {
  const start = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  const standard = (secret: string) =>
    `v1,${createHmac('sha256', secret)
      .update(start + body)
      .digest('base64')}`;
  const plain = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  return {
    first: [OLD, NEW].filter((secret) => headers['x-service-cloud-signature'] === plain(secret)),
    standard: signatures.flatMap((signature) => [OLD, NEW].filter((secret) => signature === standard(secret))),
  };
};

describe('a webhook secret', () => {
  test('deliveries are signed with both the new and the previous secret during the overlap', async () => {
    const { client, at, fall, receiver } = await world.furnish({ secretKey: OLD });
    const next = async () => {
      const before = receiver.received.length;
      await fall();
      const got = (await receiver.until(before + 1)).at(-1);
      return got && signers(got);
    };
    expect(await next()).toEqual({ first: [OLD], standard: [OLD] });
    await client.ok('PUT', `${at}/secret`, { secretKey: NEW, overlapSeconds: 3_600 });
    expect(await next()).toEqual({ first: [NEW], standard: [NEW, OLD] });
    world.skip(3_601_000);
    expect(await next()).toEqual({ first: [NEW], standard: [NEW] });
  });

  test('removing the secret removes the D2 header at once', async () => {
    const { client, at, fall, receiver } = await world.furnish({ secretKey: OLD });
    await client.ok('PUT', `${at}/secret`, { secretKey: null, overlapSeconds: 3_600 });
    await fall();
    const got = (await receiver.until(1)).at(-1);
    expect(got && signers(got)).toEqual({ first: [], standard: [OLD] });
    expect(await client.ok('GET', at)).toMatchObject({ hasSecretKey: false });
    world.skip(3_601_000);
    await fall();
    const last = (await receiver.until(2)).at(-1);
    expect(last?.headers).not.toHaveProperty('webhook-signature');
    expect(last?.headers).not.toHaveProperty('x-service-cloud-signature');
  });

  const bytes = (length: number) => Buffer.alloc(length, 0xfb);
  const standard = (length: number) => `whsec_${bytes(length).toString('base64')}`;
  /** Returns the statuses for a creation, an update and a rotation with a secret, and the rejected paths. */
  const answersTo = async (secretKey: string) => {
    const { client, at } = await world.furnish();
    const { id: _, ...hook } = await client.ok<{ id: string }>('GET', at);
    const calls = [
      client.call('POST', '/webhooks', { ...hook, secretKey }),
      client.call('PUT', at, { ...hook, secretKey }),
      client.call('PUT', `${at}/secret`, { secretKey, overlapSeconds: 60 }),
    ];
    return (await Promise.all(calls)).map(rejectedPaths);
  };

  test.each([
    ['Base64 for URLs', `whsec_${bytes(24).toString('base64url')}`],
    ['Base64 without padding', `whsec_${bytes(25).toString('base64').replaceAll('=', '')}`],
    ['no Base64', 'whsec_this is no base64!!'],
    ['one character too many', `${standard(24)}A`],
    ['bits beyond the last byte', `whsec_${'A'.repeat(21)}B==`],
    ['a space', `whsec_ ${bytes(24).toString('base64')}`],
    ['a key of 15 bytes', standard(15)],
    ['a key of 65 bytes', standard(65)],
    ['no key', 'whsec_'.padEnd(16, '=')],
    ['a prefix in capitals', standard(24).replace('whsec_', 'WHSEC_')],
    ['a prefix with one capital', standard(24).replace('whsec_', 'Whsec_')],
  ])('rejects a whsec_ secret with %s', async (_, secretKey) => {
    expect(await answersTo(secretKey)).toEqual(Array(3).fill([400, 'secretKey']));
  });

  test.each([standard(16), standard(24), standard(64), 'whsec-is-not-the-prefix', 'this_whsec_is_inside'])(
    'accepts the secret %s',
    async (secretKey) => {
      const answers = await answersTo(secretKey);
      expect(answers).toEqual([[201], [200], [200]]);
    },
  );

  test.each([null, 'a-third-secret-of-16'])(
    'setting the secret to %j ends the overlap with the previous secret',
    async (secretKey) => {
      const { client, at, fall, receiver } = await world.furnish({ secretKey: OLD });
      await client.ok('PUT', `${at}/secret`, { secretKey: NEW, overlapSeconds: 3_600 });
      const hook = await client.ok<object>('GET', at);
      await client.ok('PUT', at, { ...hook, name: 'without secretKey' });
      await fall();
      const [before] = await receiver.until(1);
      expect(before && signers(before)).toEqual({ first: [NEW], standard: [NEW, OLD] });
      await client.ok('PUT', at, { ...hook, secretKey });
      await fall();
      const after = (await receiver.until(2)).at(-1);
      const signatures = after?.headers['webhook-signature'];
      expect(
        String(signatures ?? '')
          .split(' ')
          .filter(Boolean),
      ).toHaveLength(secretKey === null ? 0 : 1);
      expect(after && signers(after)).toEqual({ first: [], standard: [] });
    },
  );

  test('a secret stays encrypted in the table, like the token', async () => {
    const { record, client, at } = await world.furnish({ secretKey: OLD });
    await client.ok('PUT', `${at}/secret`, { secretKey: NEW, overlapSeconds: 60 });
    const kept = await record();
    expect(JSON.stringify(kept)).not.toMatch(new RegExp(`${OLD}|${NEW}`));
    expect(kept?.token).not.toMatch(/^[a-z0-9]{26}$/);
  });
});

describe("the local host's key", () => {
  test("only the service's user can read the local host's key", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
    const key = await secretsKey(dataDir, randomBytes);
    expect(Buffer.from(await secretsKey(dataDir, randomBytes))).toEqual(Buffer.from(key));
    expect((await stat(join(dataDir, 'secrets.key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(dataDir, 'secrets.key'))).toHaveLength(32);
    await rm(dataDir, { recursive: true });
  });

  test('an unreadable key prevents the service from starting', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
    // A folder, because root can read any file.
    await mkdir(join(dataDir, 'secrets.key'));
    await expect(secretsKey(dataDir, randomBytes)).rejects.toMatchObject({ code: 'EISDIR' });
    expect(await readdir(dataDir)).toEqual(['secrets.key']);
    await rm(dataDir, { recursive: true });
  });
});
