import { describe, expect, test } from 'vitest';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';

/** The cookies of a login that says of itself which protocol it came by. */
const cookiesOf = async (publicUrl: string, said: Record<string, string>): Promise<string[]> => {
  const cloud = await startTestCloud({ environment: { PUBLIC_URL: publicUrl } });
  const headers = { 'content-type': 'application/json', ...said };
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const answer = await fetch(`${cloud.url}/users/login`, { method: 'POST', headers, body });
  await cloud.stop();
  return answer.headers.getSetCookie();
};
const isSecure = (cookie: string) => /; Secure/.test(cookie);

describe('the cookies of a session', () => {
  test('are secure behind a proxy with a certificate, whatever a caller says', async () => {
    const cookies = await cookiesOf('https://cloud.example.org', { 'X-Forwarded-Proto': 'http' });
    expect([cookies.length, cookies.every(isSecure)]).toEqual([3, true]);
  });
  test.each(['x-forwarded-proto', 'X-Forwarded-Proto'])(
    'are not secure without one, though %s says so',
    async (name) => {
      const cookies = await cookiesOf('', { [name]: 'https' });
      expect([cookies.length, cookies.some(isSecure)]).toEqual([3, false]);
    },
  );
});
