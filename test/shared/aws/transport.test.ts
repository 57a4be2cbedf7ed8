import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { kmsCipher } from '#shared/auth/kms.ts';
import { cloudWatchAlarms } from '#shared/aws/active-alarms.ts';
import { snsAlarmTopic } from '#shared/aws/alarm-topic.ts';
import { sesMail } from '#shared/aws/mail.ts';
import { requestHandlerOptions } from '#shared/aws/transport.ts';
import { sqsQueues } from '#shared/queue/sqs-queues.ts';
import { createTable, documentClient } from '#shared/store/engine/client.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { startSilentServer } from '#test/fixtures/silent-server.ts';

const account = { region: 'eu-central-1', credentials: { accessKeyId: 'a', secretAccessKey: 's' } };
const impatient = { ...account, requestHandler: requestHandlerOptions({ connect: 100, answer: 100 }) };
const surroundings = { now: Date.now, random: (bytes: number) => new Uint8Array(bytes) };
const key = { pk: 'P', sk: 'S' };
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: Error) => error,
  );

describe('AWS request timeouts', () => {
  afterEach(() => void vi.useRealTimers());
  const urls = (url: string) => ({
    events: url,
    timers: url,
    deliveries: url,
    retries: url,
    jobs: url,
    mqtt: url,
    undeliverable: url,
    quarantine: url,
  });
  const messages = [{ body: '{}', delaySeconds: 0, groupId: '1' }];
  test.each([
    ['the table', 8_000, (at: object, _: string) => createTable(documentClient({ ...account, ...at }), 't').get(key)],
    [
      'a queue',
      7_000,
      (at: object, url: string) => sqsQueues({ ...account, ...at }, urls(url), Date.now).send('timers', messages),
    ],
    ['KMS', 5_000, (at: object) => kmsCipher({ ...account, ...at }, 'k').encrypt(Buffer.from('x'), 'c')],
    ['an SNS topic', 5_000, (at: object) => snsAlarmTopic({ ...account, ...at }, 'arn:topic').subscriptions()],
    ['CloudWatch', 5_000, (at: object) => cloudWatchAlarms({ ...account, ...at }, 'arn:topic')()],
    ['SES', 3_000, (at: object) => sesMail({ ...account, ...at }, 'a@b.c', surroundings)('d@e.f', 's', 't')],
  ])('a request to %s ends within %i ms if there is no response', async (service, maxMs, call) => {
    await using silence = await startSilentServer();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const start = performance.now();
    let isOver = false;
    const error = errorOf(call({ endpoint: silence.url }, silence.url)).finally(() => (isOver = true));
    // Time advances only while a request is waiting, and slowly enough for the network.
    while (!isOver) {
      vi.advanceTimersByTime(silence.heard() > 0 ? 50 : 0);
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    }
    expect((await error)?.name).toBe(service === 'the table' ? 'TableUnavailable' : 'TimeoutError');
    expect(silence.heard()).toBeGreaterThan(1);
    expect(performance.now() - start).toBeLessThanOrEqual(maxMs);
  });

  test('a request ends in time if the response from the table stops partway', async () => {
    await using silence = await startSilentServer('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{');
    const table = createTable(documentClient({ ...impatient, endpoint: silence.url }), 'table');
    expect(await errorOf(table.get(key))).toBeInstanceOf(TableUnavailable);
  });
});

test('a process loses only one attempt after a freeze, however many sockets are dead', async () => {
  // Connections from before the freeze are dead.
  const dead = new Set<Socket>();
  const sockets = new Set<Socket>();
  let lost = 0;
  const server = createServer(({ socket }, response) => {
    if (dead.has(socket)) lost += 1;
    else response.setHeader('Content-Type', 'application/x-amz-json-1.0').end('{}');
  }).on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const table = createTable(documentClient({ ...impatient, endpoint }), 'table');
  await Promise.all(Array.from({ length: 10 }, () => table.get(key)));
  for (const socket of sockets) dead.add(socket);
  expect(await table.get(key)).toBeNull();
  expect([dead.size >= 10, lost]).toEqual([true, 1]);
  server.closeAllConnections();
  server.close();
});

test('a message is not sent to a queue after its deadline', async () => {
  await using silence = await startSilentServer();
  const timer = { body: '{}', groupId: '1', delaySeconds: 0, until: Date.now() - 1 };
  const urls = Object.fromEntries(
    ['events', 'timers', 'deliveries', 'retries', 'jobs', 'mqtt', 'undeliverable', 'quarantine'].map((name) => [
      name,
      silence.url,
    ]),
  ) as Parameters<typeof sqsQueues>[1];
  const error = await errorOf(
    sqsQueues({ ...impatient, endpoint: silence.url }, urls, Date.now).send('timers', [timer]),
  );
  expect(error?.message).toBe('it is too late to send it');
  expect(silence.heard()).toBe(0);
});
