import { describe, expect, test } from 'vitest';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';

/** Returns the cookies set by a login request with additional headers. */
const cookiesOf = async (publicUrl: string, moreHeaders: Record<string, string>): Promise<string[]> => {
  const cloud = await startTestCloud({ environment: { PUBLIC_URL: publicUrl } });
  const headers = { 'content-type': 'application/json', ...moreHeaders };
  const body = JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD });
  const response = await fetch(`${cloud.url}/users/login`, { method: 'POST', headers, body });
  await cloud.stop();
  return response.headers.getSetCookie();
};
const isSecure = (cookie: string) => /; Secure/.test(cookie);

describe('session cookies', () => {
  test('session cookies are Secure behind a TLS proxy, whatever X-Forwarded-Proto says', async () => {
    const cookies = await cookiesOf('https://cloud.example.org', { 'X-Forwarded-Proto': 'http' });
    expect([cookies.length, cookies.every(isSecure)]).toEqual([3, true]);
  });
  test.each(['x-forwarded-proto', 'X-Forwarded-Proto'])(
    'session cookies are not Secure without TLS, even if %s says https',
    async (name) => {
      const cookies = await cookiesOf('', { [name]: 'https' });
      expect([cookies.length, cookies.some(isSecure)]).toEqual([3, false]);
    },
  );
});
