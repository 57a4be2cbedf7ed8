import { describe, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import { nextNumber, pathsOf, setChannel } from '#test/fixtures/channels.ts';
import { startTestCloud, withShortPauses } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';

describe('a messaging service', () => {
  /** Starts a cloud with different services from those of the local host. */
  const withServices = async (services: Partial<Runtime>, environment: Record<string, string> = {}) => {
    const lines: string[] = [];
    const log: Runtime['log'] = (level, message, more) =>
      void lines.push(`${level} ${message} ${JSON.stringify(more)}`);
    const wrap = (runtime: Runtime) => withShortPauses({ ...runtime, ...services });
    const small = await startTestCloud({ environment, wrap, log, say: () => {} });
    const boss = await adminOf(small.url);
    return { client: boss, cloud: small, lines };
  };

  test('returns 400 and is not offered if the host does not have it', async () => {
    const small = await startTestCloud({
      hasOutbox: false,
      environment: { PUSH_CONTACT: 'https://cloud.example.org' },
    });
    const client = await adminOf(small.url);
    expect(await client.ok('GET', '/channels')).toMatchObject({ kinds: ['push'], outbox: [] });
    for (const [by, address] of [['sms', '+491701234567'] as const, ['telegram', '1'] as const]) {
      const answer = await setChannel(client, by, { address });
      expect([answer.status, pathsOf(answer)]).toEqual([400, ['by']]);
      expect(answer.text).toContain('available: push');
    }
    await small.stop();
  });

  test('returns 503 without address or code if it fails, and 400 if it does not know the address', async () => {
    const failing = Object.assign(new Error('+491701234567 is down'), { name: 'ThrottlingException' });
    const unknown = Object.assign(new Error('no'), { name: 'ValidationException', Reason: 'INVALID_PARAMETER' });
    const errors = [failing, unknown];
    const sms = async () => Promise.reject(errors.shift());
    const { client, cloud: small, lines } = await withServices({ messengers: async () => ({ sms }) });
    const answer = await setChannel(client, 'sms', { address: '+491701234567' });
    expect(answer.status).toBe(503);
    expect(answer.text + lines.join('\n')).not.toContain('+49170');
    expect(lines.join('\n')).toContain('ThrottlingException');
    expect(small.valuesOf('LettersFailed')).toEqual([1]);
    expect(pathsOf(await setChannel(client, 'sms', { address: '+491701234567' }))).toEqual(['address']);
    await small.stop();
  });

  test('sends no more SMS codes a day than the quota of the customer allows', async () => {
    const { client, cloud: small } = await withServices({}, { QUOTAS: '{"smsPerDay":0,"smsCodesPerDay":1}' });
    expect((await setChannel(client, 'sms', { address: nextNumber() })).status).toBe(200);
    const refused = await setChannel(client, 'sms', { address: nextNumber() });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('1 SMS codes per day')]);
    await small.stop();
  });
});
