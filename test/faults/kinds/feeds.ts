import { failpoints } from '#shared/runtime/failpoints.ts';
import type { Client } from '#test/fixtures/client.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

type FeedItem = { id: string; body: string; headers: Record<string, string> };
type FetchedFall = { id: string; sensorId: string; start: number };
const SENSORS = 3;
const MINUTE = 60_000;

/** Creates a separate home with some sensors, whose falls are fetched from the feed for a webhook without a URL. */
const furnishHome = async (scene: Scene) => {
  const { client } = await createHome(await scene.admin(), scene.fresh('ash'), ALL_PERMISSIONS);
  const sensors = [];
  for (let at = 0; at < SENSORS; at++) sensors.push(await linkSensor(client));
  const hook = { name: 'n', url: null, format: 'full', isCustomerHook: true, situations: ['fall_detected'] };
  const { id, token } = await client.ok<{ id: string; token: string }>('POST', '/webhooks', hook);
  return { client, sensors, path: `/webhooks/${id}`, reader: client.as(token) };
};

/**
 * Creates a receiver behind a router. It fetches falls, stores each one, and then stores the id after which to
 * continue. It loses responses and dies between these steps, and then resumes after the last stored id.
 */
const createReader = ({ chance }: Scene, reader: Client, path: string) => {
  const fetched: FetchedFall[] = [];
  let lastId = '';
  const store = ({ id, body }: FeedItem): void => {
    const { event, sensor } = JSON.parse(body);
    fetched.push({ id, sensorId: sensor.id, start: event.raw.payload.timestamp });
  };
  /** Fetches once. Returns false if there was nothing to fetch, or no response. */
  const fetchOnce = async (mayDie: boolean): Promise<boolean> => {
    const limit = 1 + Math.floor(chance() * 5);
    const response = await reader.call('GET', `${path}/feed?limit=${limit}${lastId && `&after=${lastId}`}`);
    const isLost = mayDie && chance() < 0.2;
    if (response.status !== 200 || isLost) return false;
    for (const item of response.body as FeedItem[]) {
      if (mayDie && chance() < 0.1) return false;
      store(item);
      if (mayDie && chance() < 0.1) return false;
      lastId = item.id;
    }
    return (response.body as FeedItem[]).length > 0;
  };
  return { fetched, fetchOnce };
};

/** Returns what is wrong with the falls a reader fetched. */
const problemsOf = (fetched: readonly FetchedFall[], falls: readonly Omit<FetchedFall, 'id'>[]): string[] => {
  const nameOf = ({ sensorId, start }: Omit<FetchedFall, 'id'>) => `${sensorId} ${start}`;
  const byName = Map.groupBy(fetched, nameOf);
  const missing = falls.filter((fall) => !byName.has(nameOf(fall)));
  const renamed = [...byName].filter(([, copies]) => new Set(copies.map(({ id }) => id)).size > 1);
  const first = [...new Map(fetched.toReversed().map((fall) => [fall.id, fall])).values()].toReversed();
  const misplaced = [...Map.groupBy(first, ({ sensorId }) => sensorId).values()].flatMap((ofSensor) =>
    ofSensor.filter(({ start }, at) => start < (ofSensor[at - 1]?.start ?? 0)),
  );
  return [
    ...missing.map((fall) => `${nameOf(fall)} was accepted, but is not in the feed`),
    ...renamed.map(([name]) => `${name} has several ids`),
    ...misplaced.map((fall) => `${nameOf(fall)} arrived after a later fall of its sensor`),
  ];
};

/** Falls are reported for an hour while the reader fetches them. */
const anHour = async (scene: Scene): Promise<Story> => {
  const { chance, clock, step, judged, answered, cloud } = scene;
  const { client, sensors, path, reader } = await furnishHome(scene);
  const { fetched, fetchOnce } = createReader(scene, reader, path);
  const falls: Omit<FetchedFall, 'id'>[] = [];
  const fall = async (): Promise<void> => {
    const sensor = sensors[Math.floor(chance() * SENSORS)];
    if (!sensor) return;
    const start = clock.now();
    const message = { ...fallMessage('calling', start), uuid: crypto.randomUUID() };
    const send = () => answered(sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, message));
    while ((await send()).status !== 202) await cloud.idle();
    falls.push({ sensorId: sensor.sensorId, start });
  };
  return {
    atOnce: async () => {
      for (let minute = 0; minute < 60; minute += 6) {
        await fall();
        if (chance() < 0.5) await fall();
        await fetchOnce(true);
        await step(6 * MINUTE);
        while (await fetchOnce(true));
      }
    },
    heal: async () => {
      // A message that has failed often is retried after a quarter of an hour.
      await judged();
      for (let round = 0; round < 3; round++) {
        await step(2 * MINUTE);
        while (await fetchOnce(false));
      }
      await client.ok('DELETE', path);
    },
    after: async () => {
      const problems = problemsOf(fetched, falls);
      if (problems.length > 0) return problems;
      return falls.length < 10 ? ['there were fewer than 10 falls'] : [];
    },
  };
};

/** Faults while deliveries are fetched from a feed. */
export const ofFeeds: readonly Fault[] = [
  {
    title: 'a reader behind a router dies at random for an hour: every fall arrives, in order per sensor',
    falls: 'one',
    steps: 0,
    story: anHour,
  },
  {
    title: 'processes die while a feed is filled and fetched: every fall arrives, in order per sensor',
    rates: { crashes: failpoints, crash: 0.15, doubleMessage: 0.2 },
    falls: 'one',
    steps: 0,
    story: anHour,
  },
  {
    title: 'table and queues fail while a feed is filled and fetched: every fall arrives, in order per sensor',
    rates: { refusal: 0.05, lostResponse: 0.05, unsent: 0.1, lostSend: 0.1, doubleMessage: 0.2, lostDeletion: 0.2 },
    falls: 'one',
    steps: 0,
    story: anHour,
  },
];
