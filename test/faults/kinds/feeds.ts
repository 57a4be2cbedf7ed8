import { failpoints } from '#shared/runtime/failpoints.ts';
import type { Client } from '#test/fixtures/client.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

type Fed = { id: string; body: string; headers: Record<string, string> };
type Seen = { id: string; sensorId: string; start: number };
const SENSORS = 3;
const MINUTE = 60_000;

/** A home of its own with some sensors, whose falls wait in the feed of a webhook without an address. */
const furnishHome = async (scene: Scene) => {
  const { client } = await createHome(await scene.admin(), scene.fresh('ash'), ALL_PERMISSIONS);
  const sensors = [];
  for (let at = 0; at < SENSORS; at++) sensors.push(await linkSensor(client));
  const hook = { name: 'n', url: null, format: 'full', isCustomerHook: true, situations: ['fall_detected'] };
  const { id, token } = await client.ok<{ id: string; token: string }>('POST', '/webhooks', hook);
  return { client, sensors, path: `/webhooks/${id}`, reader: client.as(token) };
};

/**
 * A receiver behind a router: it fetches, keeps what it got, and then the id that it goes on behind. It loses answers, and
 * dies between two of these steps, so that it begins again behind the id that it kept last.
 */
const createReader = ({ chance }: Scene, reader: Client, path: string) => {
  const seen: Seen[] = [];
  let kept = '';
  const keep = ({ id, body }: Fed): void => {
    const { event, sensor } = JSON.parse(body);
    seen.push({ id, sensorId: sensor.id, start: event.raw.payload.timestamp });
  };
  /** Fetches once; false when there was nothing, or no answer. */
  const fetchOnce = async (mayDie: boolean): Promise<boolean> => {
    const limit = 1 + Math.floor(chance() * 5);
    const answer = await reader.call('GET', `${path}/feed?limit=${limit}${kept && `&after=${kept}`}`);
    const isLost = mayDie && chance() < 0.2;
    if (answer.status !== 200 || isLost) return false;
    for (const fed of answer.body as Fed[]) {
      if (mayDie && chance() < 0.1) return false;
      keep(fed);
      if (mayDie && chance() < 0.1) return false;
      kept = fed.id;
    }
    return (answer.body as Fed[]).length > 0;
  };
  return { seen, fetchOnce };
};

/** What is wrong with what a reader saw of these falls. */
const complaintsOf = (seen: readonly Seen[], falls: readonly Omit<Seen, 'id'>[]): string[] => {
  const nameOf = ({ sensorId, start }: Omit<Seen, 'id'>) => `${sensorId} ${start}`;
  const idsOf = Map.groupBy(seen, nameOf);
  const missing = falls.filter((fall) => !idsOf.has(nameOf(fall)));
  const renamed = [...idsOf].filter(([, all]) => new Set(all.map(({ id }) => id)).size > 1);
  const first = [...new Map(seen.toReversed().map((fed) => [fed.id, fed])).values()].toReversed();
  const misplaced = [...Map.groupBy(first, ({ sensorId }) => sensorId).values()].flatMap((all) =>
    all.filter(({ start }, at) => start < (all[at - 1]?.start ?? 0)),
  );
  return [
    ...missing.map((fall) => `${nameOf(fall)} was accepted, and is not in the feed`),
    ...renamed.map(([name]) => `${name} came under several ids`),
    ...misplaced.map((fall) => `${nameOf(fall)} came after a later fall of its sensor`),
  ];
};

/** An hour of falls, which the reader fetches meanwhile. */
const anHour = async (scene: Scene): Promise<Story> => {
  const { chance, clock, step, judged, answered, cloud } = scene;
  const { client, sensors, path, reader } = await furnishHome(scene);
  const { seen, fetchOnce } = createReader(scene, reader, path);
  const falls: Omit<Seen, 'id'>[] = [];
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
      // A message that failed often waits for a quarter of an hour.
      await judged();
      for (let round = 0; round < 3; round++) {
        await step(2 * MINUTE);
        while (await fetchOnce(false));
      }
      await client.ok('DELETE', path);
    },
    after: async () => {
      const complaints = complaintsOf(seen, falls);
      if (complaints.length > 0) return complaints;
      return falls.length < 10 ? ['there were hardly any falls'] : [];
    },
  };
};

/** Faults while what is to be told is fetched. */
export const ofFeeds: readonly Fault[] = [
  {
    title: 'a reader behind a router dies at random for an hour: it gets every fall, in order for each sensor',
    falls: 'one',
    steps: 0,
    story: anHour,
  },
  {
    title: 'processes die while a feed is filled and fetched: its reader gets every fall, in order for each sensor',
    rates: { crashes: failpoints, crash: 0.15, doubleMessage: 0.2 },
    falls: 'one',
    steps: 0,
    story: anHour,
  },
  {
    title:
      'table and queues fail while a feed is filled and fetched: its reader gets every fall, in order for each sensor',
    rates: { refusal: 0.05, lostAnswer: 0.05, unsent: 0.1, lostSend: 0.1, doubleMessage: 0.2, lostDeletion: 0.2 },
    falls: 'one',
    steps: 0,
    story: anHour,
  },
];
