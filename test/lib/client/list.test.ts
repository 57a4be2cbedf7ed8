import { expect, test } from 'vitest';
import { createClient } from '#lib/client/client.ts';
import { listAll } from '#lib/client/list.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { gather } from '#test/fixtures/gather.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

/** Returns a list client whose responses depend on the query, and the queries so far. */
const listing = (answer: (query: URLSearchParams) => Response) => {
  const queries: Record<string, string>[] = [];
  const fetch = async ({ url }: Request): Promise<Response> => {
    const { searchParams } = new URL(url);
    queries.push(Object.fromEntries(searchParams));
    return answer(searchParams);
  };
  return { client: createClient({ baseUrl: 'http://localhost', fetch, token: 'pat_1' }), queries };
};
const page = (total: number, page: number, perPage: number, ids: readonly number[]) => [
  { total, page, perPage, data: ids.map((id) => ({ id })) },
];

test('listAll fetches a list with an exact total one page at a time as needed, keeping the filters', async () => {
  const all = [1, 2, 3, 4, 5];
  const { client, queries } = listing((query) => {
    const at = Number(query.get('page') ?? 0);
    const length = Number(query.get('perPage'));
    return Response.json(page(5, at, length, all.slice(at * length, (at + 1) * length)));
  });
  const list = listAll(client, '/sensors', { query: { perPage: 2, searchText: 'room' } });
  expect(queries).toEqual([]);
  const first = await list.next();
  expect([first.value?.id, queries.length]).toEqual([1, 1]);
  const others = await gather(list, ({ id }) => id);
  expect(others).toEqual([2, 3, 4, 5]);
  expect(queries.map(({ page: at, ...rest }) => [at ?? '0', rest])).toEqual(
    ['0', '1', '2'].map((at) => [at, { perPage: '2', searchText: 'room' }]),
  );
});

test('listAll follows page and cursor links when a list has no exact total', async () => {
  const links = ['page=1&perPage=200&state=failed', 'page=0&perPage=200&state=failed&after=d9'];
  const { client, queries } = listing(() => {
    const link = links[queries.length - 1];
    const headers = { 'X-Total-Is': link ? 'at-least' : 'exact', ...(link && { Link: `<?${link}>; rel="next"` }) };
    return Response.json(page(2, 0, 200, [queries.length]), { headers });
  });
  const params = { path: { webhookId: '0b9c4d8e-6f1a-4b7e-9c55-3f3d2f1e0a01' }, query: { state: 'failed' } } as const;
  const ids = await gather(listAll(client, '/webhooks/{webhookId}/deliveries', params), ({ id }) => id);
  expect(ids).toEqual([1, 2, 3]);
  expect(queries).toEqual([
    { perPage: '200', state: 'failed' },
    ...links.map((link) => Object.fromEntries(new URLSearchParams(link))),
  ]);
});

test('listAll throws the Problem for a rejected page after yielding the pages before it', async () => {
  const { client, queries } = listing(() =>
    queries.length === 1
      ? Response.json(page(400, 0, 200, [1]))
      : Response.json({ message: 'not any more' }, { status: 403 }),
  );
  const seen: number[] = [];
  const read = async () => {
    for await (const { id } of listAll(client, '/rules')) seen.push(id);
  };
  await expect(read()).rejects.toMatchObject({ name: 'Problem', status: 403, message: 'not any more' });
  expect(seen).toEqual([1]);
});

test('listAll yields every item in a real list exactly once, with and without an exact total', async () => {
  const cloud = await startTestCloud();
  const home = await createHome(await adminOf(cloud.url), 'elm', ALL_PERMISSIONS);
  const client = createClient({ baseUrl: cloud.url, username: home.username, password: home.password });
  const sensors = [];
  for (let count = 0; count < 5; count++) sensors.push(await linkSensor(home.client));
  const [first] = sensors;
  const sensorId = first?.sensorId ?? '';
  for (let at = 0; at < 5; at++)
    await first?.device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('finished', Date.now() - at * 60_000));
  await cloud.idle();
  const ids = await gather(listAll(client, '/sensors', { query: { perPage: 2 } }), ({ id }) => id);
  expect(ids.toSorted()).toEqual(sensors.map((sensor) => sensor.sensorId).toSorted());
  const params = { path: { sensorId }, query: { perPage: 2 } };
  const events = await gather(listAll(client, '/sensors/{sensorId}/events', params), ({ uuid }) => uuid);
  expect(events.length).toBeGreaterThanOrEqual(5);
  expect(new Set(events).size).toBe(events.length);
  await cloud.stop();
});
