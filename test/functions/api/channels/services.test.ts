import { describe, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import { nextNumber, pathsOf, setChannel } from '#test/fixtures/channels.ts';
import { startTestCloud, withShortPauses } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';

describe('messaging services', () => {
  /** Starts a cloud whose services differ from the local host's. */
  const withServices = async (services: Partial<Runtime>, environment: Record<string, string> = {}) => {
    const lines: string[] = [];
    const log: Runtime['log'] = (level, message, more) =>
      void lines.push(`${level} ${message} ${JSON.stringify(more)}`);
    const wrap = (runtime: Runtime) => withShortPauses({ ...runtime, ...services });
    const small = await startTestCloud({ environment, wrap, log, say: () => {} });
    const boss = await adminOf(small.url);
    return { client: boss, cloud: small, lines };
  };

  test('a messaging service that is unavailable on the host is not offered', async () => {
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

  test('returns 503 without the address or code if a messaging service fails', async () => {
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

  test("SMS codes are limited by the customer's daily quota", async () => {
    const { client, cloud: small } = await withServices({}, { QUOTAS: '{"smsPerDay":0,"smsCodesPerDay":1}' });
    expect((await setChannel(client, 'sms', { address: nextNumber() })).status).toBe(200);
    const refused = await setChannel(client, 'sms', { address: nextNumber() });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('1 SMS codes per day')]);
    await small.stop();
  });
});
