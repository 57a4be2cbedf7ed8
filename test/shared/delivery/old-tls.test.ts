import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureVersion } from 'node:tls';
import { expect, test } from 'vitest';
import { createHttpClient } from '#shared/delivery/http-client.ts';

// Nurse-call servers with old TLS stacks. See shared/delivery/GUIDES.md for what helps.

type Stack = { certificate?: string; maxVersion?: SecureVersion; ciphers?: string };
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');

/** Sends a delivery to a trusted server with such a stack. */
const attemptOn = async ({ certificate = 'self-signed', maxVersion, ciphers = 'ALL@SECLEVEL=0' }: Stack) => {
  const [cert, key] = [fixture(`${certificate}.crt`), fixture(`${certificate}.key`)];
  const versions = maxVersion && { minVersion: 'TLSv1' as const, maxVersion };
  const server = createServer({ cert, key, ciphers, ...versions }, (_, response) => void response.end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const policy = { allowPrivate: true, allowedRanges: [], allowLoopback: true };
  const { post, close } = createHttpClient({ policy, deadlineMs: 15_000, agentOptions: { ca: cert } });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { status, error, responseBody } = await post({ url, headers: {}, body: '{}' });
  close();
  server.closeAllConnections();
  await once(server.close(), 'close');
  return { status, error, responseBody };
};

test.each<[string, Stack]>([
  ['TLS 1.2 without forward secrecy', { certificate: 'rsa', maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }],
  ['TLS 1.2 with AES-CBC', { certificate: 'rsa', maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-SHA' }],
])('a server that supports nothing newer than %s can be called', async (_, stack) => {
  expect(await attemptOn(stack)).toMatchObject({ status: 200, error: null });
});

test.each<[string, Stack, string]>([
  ['speaks TLS 1.0', { maxVersion: 'TLSv1' }, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  ['speaks TLS 1.1', { maxVersion: 'TLSv1.1' }, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
  ['has an RSA key of 1,024 bits', { certificate: 'weak' }, 'UNSPECIFIED'],
  ['is named by CN alone', { certificate: 'nameless' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('a server that %s cannot be called, and the attempt says why', async (_, stack, responseBody) => {
  expect(await attemptOn(stack)).toEqual({ status: null, error: 'tls_failed', responseBody });
});
