import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSmsGateway } from '#lib/local/lambda/sms-gateway.ts';
import { contextTrusting } from '#lib/local/trusted-roots.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { eventually } from '#test/fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname;
const extraCaFile = fixture('self-signed.crt');
const certificate = { cert: readFileSync(extraCaFile), key: readFileSync(fixture('self-signed.key')) };

/** An on-premises nurse-call server with a self-signed certificate. */
const onRequest = vi.fn<RequestListener>((_, response) => void response.end('ok'));
const server = createServer(certificate, onRequest);
let url = '';
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Reports a fall to a cloud with a webhook to that server. Returns the delivery's attempts. */
const attemptsOf = async (options: { extraCaFile?: string }) => {
  const cloud = await startTestCloud(options);
  const { client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
  const { webhook } = await createAlarm(client, url, 'fall_detected', { retrySchedule: [0] });
  const { device, sensorId } = await linkSensor(client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  const at = `/webhooks/${webhook.id}/deliveries`;
  const id = await eventually(async () => {
    const [page] = await client.ok<{ data: { id: string; state: string }[] }[]>('GET', at);
    const ended = page?.data.find(({ state }) => state === 'delivered' || state === 'failed');
    return ended?.id ?? expect.unreachable();
  });
  const detail = await client.ok<{ attemptLog: unknown[] }>('GET', `${at}/${id}`);
  await cloud.stop();
  return detail.attemptLog;
};

test('a receiver with a private certificate is called if EXTRA_CA_CERTS contains it', async () => {
  expect(await attemptsOf({ extraCaFile })).toMatchObject([{ status: 200, error: null }]);
  expect(onRequest).toHaveBeenCalledOnce();
});

test('a failed attempt names the OpenSSL error code if EXTRA_CA_CERTS is not set', async () => {
  const attempt = { status: null, error: 'tls_failed', responseBody: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  expect(await attemptsOf({})).toMatchObject([attempt]);
});

test('an SMS gateway is called if EXTRA_CA_CERTS contains the certificate', async () => {
  const gateway = { url, token: null };
  const agentOptions = { secureContext: contextTrusting(extraCaFile) };
  expect(await createSmsGateway(gateway, { deadlineMs: 9_000, agentOptions })('+491701234567', 'x')).toBe('accepted');
  expect(await createSmsGateway(gateway, { deadlineMs: 9_000 })('+491701234567', 'x')).toEqual({ retry: 'tls_failed' });
});

test('a push service with a private certificate is never called', async () => {
  const stage = {
    ALLOW_PRIVATE_TARGETS: true,
    ALLOWED_TARGET_RANGES: [],
    DELIVERY_DEADLINE_SECONDS: 9,
    PUBLIC_URL: '',
    OWN_URLS: [],
    CANARY: false,
  };
  const secureContext = contextTrusting(extraCaFile);
  const client = createWebhookClient(stage, { allowLoopback: true, publicRanges: ['127.0.0.1/32'], secureContext });
  const request = { url, headers: {}, body: '' };
  expect(await client.post(request)).toMatchObject({ status: 200 });
  expect(await client.post({ ...request, isPublicOnly: true })).toMatchObject({ status: null, error: 'tls_failed' });
});
