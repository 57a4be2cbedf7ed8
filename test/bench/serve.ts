import type { Context } from 'aws-lambda';
import { handler as bots } from '#functions/api/bots/handler.ts';
import { handler as sensors } from '#functions/api/sensors/handler.ts';
import type { APIGatewayProxyEvent } from '#shared/api/http/exchange.ts';
import type { ApiHandler } from '#shared/api/serve.ts';
import { createPasswords } from '#shared/auth/password.ts';
import { drawToken } from '#shared/auth/tokens.ts';
import { newSensor } from '#shared/domain/sensor/sensor.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { settingsFrom } from '#shared/runtime/env.ts';
import { peopleOf } from '#shared/runtime/person-sender.ts';
import type { Table } from '#shared/store/engine/client.ts';
import type { Key } from '#shared/store/key.ts';
import { store } from '#shared/store/store.ts';
import { type Figure, median } from './figures.ts';

const REQUESTS = 10_000;
const ROUNDS = 5;

const accountKey = 'bench-account-key-01';
const sensorId = 'id_MDA6MDA6MDA6MDA6MDA6MDE';
const identity = { id: sensorId, hardwareId: '000000000001', manufacturer: 'maker_a' as const, firmwareVersion: 1 };

const storedItems: readonly (readonly [string, object])[] = [
  ['SESSION#', { kind: 'session', accountId: 2, epoch: 0, csrf: 'x', expires: null }],
  [
    'ACCOUNT#',
    {
      accountId: 2,
      customerId: 1,
      isAdmin: false,
      permissions: ['manage_bots'],
      canLogin: true,
      locale: 'en',
      epoch: 0,
    },
  ],
  // The sensor and the customer with its counts.
  ['C#1', { ...newSensor(identity, 1_700_000_000_000), customerId: 1, users: 1, bots: 1 }],
];

/** A table that responds immediately, so that the measurement excludes the store. */
const table = {
  get: async ({ pk }: Key) => storedItems.find(([start]) => pk.startsWith(start))?.[1] ?? null,
  update: async () => ({ calls: 1, value: 7 }),
  write: async () => null,
} as unknown as Table;

const runtime: Runtime = {
  settings: settingsFrom({}),
  table,
  createStore: store,
  queues: { send: async () => {}, hide: async () => {}, redrive: async () => {} },
  webhookClient: () => Promise.reject(new Error('no request is sent here')),
  mail: async () => {},
  createPersonSender: peopleOf,
  vault: async () => ({ seal: async (plain) => plain, open: async (kept) => kept }),
  passwords: async () => createPasswords(),
  now: Date.now,
  pause: async () => {},
  random: (bytes) => new Uint8Array(bytes),
  log: () => {},
};

const token = drawToken('session', (bytes) => new Uint8Array(bytes).fill(7), accountKey);
const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 30_000 } as Context;

const eventOf = (httpMethod: string, path: string, resource: string, body: unknown): APIGatewayProxyEvent => {
  const headers: Record<string, string> = {
    Host: 'api.example.org',
    Accept: '*/*',
    'User-Agent': 'bench/1',
    'Accept-Language': 'en',
    Authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const identity = { sourceIp: '127.0.0.1', userAgent: 'bench/1' };
  return {
    resource: `/api/v1${resource}`,
    path: `/api/v1${path}`,
    httpMethod,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: resource === path ? null : { sensorId },
    stageVariables: null,
    requestContext: { requestId: 'bench', identity, httpMethod, path, stage: 'v1' },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEvent;
};

const routes = [
  {
    name: 'GET a sensor',
    serve: sensors.with(runtime),
    event: eventOf('GET', `/sensors/${sensorId}`, '/sensors/{sensorId}', undefined),
    status: 200,
  },
  {
    name: 'POST a bot',
    serve: bots.with(runtime),
    event: eventOf('POST', '/bots', '/bots', { name: 'Nurse call', locale: 'de' }),
    status: 201,
  },
] as const;

/** Returns the CPU time per request in microseconds. */
const cpuOf = async (serve: ApiHandler, event: APIGatewayProxyEvent, count: number): Promise<number> => {
  const before = process.cpuUsage();
  for (let at = 0; at < count; at++) await serve(event, { ...context });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
};

/** Measures the CPU time per request without the store, as the median over several rounds. */
export const measureServe = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const { name, serve, event, status } of routes) {
    const { statusCode, body } = await serve(event, { ...context });
    if (statusCode !== status) throw new Error(`${name}: ${statusCode} ${body}`);
    await cpuOf(serve, event, 2_000);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await cpuOf(serve, event, REQUESTS / ROUNDS));
    figures.push({ name: `serve: ${name}, CPU without the store`, value: median(times), unit: 'us' });
  }
  return figures;
};
