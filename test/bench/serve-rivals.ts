import * as z from 'zod';
import { hashOf, readToken } from '#shared/auth/tokens.ts';
import { Bot, NewBot } from '#shared/domain/people/bot.ts';
import { Sensor, SensorId } from '#shared/domain/sensor/sensor.ts';
import type { Settings } from '#shared/runtime/env.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { type Store, store as storeOf } from '#shared/store/store.ts';
import type { Serve } from './serve.ts';

/** The same routes, schemas, store calls and headers in other implementations, to which `serve` is compared. */
export type Toolbox = { table: Table; settings: Settings; now: () => number };
type Who = { accountId: number; customerId: number; permissions: readonly string[]; left: number };

const Params = z.object({ sensorId: SensorId });

const whoIs = async (store: Store, now: () => number, authorization = ''): Promise<Who | null> => {
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
  const accountKey = readToken(token)?.accountKey;
  if (!accountKey) return null;
  const [session, account, calls] = await Promise.all([
    store.sessions.session(hashOf(token)),
    store.sessions.account(accountKey),
    store.limits.countCall(`account:${accountKey}`, now()),
  ]);
  if (!session || !account?.canLogin || session.epoch !== account.epoch) return null;
  const { accountId, permissions } = account;
  return { accountId, permissions, customerId: account.customerId ?? 0, left: Math.max(0, 30 - calls) };
};

const headersOf = (version: string, left: number): Record<string, string> => ({
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-RateLimit-Limit': '30',
  'X-RateLimit-Remaining': String(left),
  'X-RateLimit-Reset': '1',
  'X-Version-Id': version,
  'X-Request-Id': 'bench',
});

const createBot = async (store: Store, who: Who, body: z.output<typeof NewBot>, time: number) => {
  const id = await store.limits.nextNumber('accounts');
  const bot = { ...body, id, customerId: who.customerId, createDate: time, updateDate: time };
  await store.bots.create(bot, 1_000_000);
  return Bot.parse(bot);
};

/** The minimal implementation of these routes, without a framework, general rules and complete errors. */
export const byHand = ({ table, settings, now }: Toolbox): Serve => {
  const store = storeOf(table);
  return async ({ httpMethod, path, headers, body }) => {
    const who = await whoIs(store, now, headers.Authorization);
    if (!who) return { statusCode: 401, body: '' };
    const answer = (statusCode: number, value: unknown) => ({
      statusCode,
      headers: headersOf(settings.SERVICE_VERSION, who.left),
      body: JSON.stringify(value),
    });
    if (httpMethod === 'POST')
      return answer(201, await createBot(store, who, NewBot.parse(JSON.parse(body ?? '')), now()));
    const { sensorId } = Params.parse({ sensorId: path.split('/').at(-1) });
    return answer(200, Sensor.parse(await store.sensors.get(who.customerId, sensorId)));
  };
};

type HonoContext = {
  req: { header: (name: string) => string | undefined; valid: (what: string) => unknown };
  get: (name: string) => unknown;
  set: (name: string, value: unknown) => void;
  header: (name: string, value: string) => void;
  json: (body: unknown, status?: number) => Response;
};
type Step = (
  c: HonoContext,
  next: () => Promise<void>,
) => Promise<Response | undefined> | Promise<Response> | Promise<void>;
type App = { [K in 'use' | 'get' | 'post']: (path: string, ...steps: Step[]) => App };
type Load = (name: string) => Promise<unknown>;

/** The same routes on Hono with its zod validator and its adapter for Lambda. */
export const onHono = async ({ table, settings, now }: Toolbox, load: Load): Promise<Serve> => {
  const { Hono } = (await load('hono')) as { Hono: new () => App };
  const { zValidator } = (await load('@hono/zod-validator')) as {
    zValidator: (what: string, schema: z.ZodType) => Step;
  };
  const { handle } = (await load('hono/aws-lambda')) as { handle: (app: App) => Serve };
  const store = storeOf(table);
  const app = new Hono();
  app.use('/api/v1/*', async (c, next) => {
    const who = await whoIs(store, now, c.req.header('authorization'));
    if (!who) return c.json({ message: 'unauthorized' }, 401);
    c.set('who', who);
    await next();
    for (const [name, value] of Object.entries(headersOf(settings.SERVICE_VERSION, who.left))) c.header(name, value);
  });
  app.get('/api/v1/sensors/:sensorId', zValidator('param', Params), async (c) => {
    const { sensorId } = c.req.valid('param') as z.output<typeof Params>;
    return c.json(Sensor.parse(await store.sensors.get((c.get('who') as Who).customerId, sensorId)));
  });
  app.post('/api/v1/bots', zValidator('json', NewBot), async (c) =>
    c.json(await createBot(store, c.get('who') as Who, c.req.valid('json') as z.output<typeof NewBot>, now()), 201),
  );
  return handle(app);
};
