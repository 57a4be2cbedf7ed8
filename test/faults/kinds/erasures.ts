import { failpoints } from '#shared/runtime/failpoints.ts';
import { ADMIN_PASSWORD } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import type { Scene } from '../scene.ts';

const MINUTE = 60_000;
type Fed = { id: string; body: string };

/** Creates a separate home, whose falls are fetched from the feed for a webhook without a URL. */
const furnishHome = async (scene: Scene) => {
  const home = await createHome(await scene.admin(), scene.fresh('yew'), ALL_PERMISSIONS);
  const erased = await linkSensor(home.client);
  const other = await linkSensor(home.client);
  const hook = { name: 'n', url: null, format: 'full', isCustomerHook: true, situations: ['fall_detected'] };
  const { id, token } = await home.client.ok<{ id: string; token: string }>('POST', '/webhooks', hook);
  return { ...home, erased, other, path: `/webhooks/${id}`, reader: home.client.as(token) };
};

/** A sensor or the whole home is erased while falls are being delivered. The other sensor's falls must arrive. */
const erase =
  (kind: 'sensor' | 'customer') =>
  async (scene: Scene): Promise<Story> => {
    const { clock, step, judged, answered, cloud, stores, everything, chance } = scene;
    const { customerId, username, erased, other, path, reader } = await furnishHome(scene);
    const otherFalls: number[] = [];
    const starts = new Set<number>();
    const fall = async (sensor: typeof other): Promise<number> => {
      const start = clock.now();
      const message = { ...fallMessage('calling', start), uuid: crypto.randomUUID() };
      const send = () => answered(sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, message));
      for (;;) {
        const { status } = await send();
        if (status === 202) return start;
        // An erased device's token is no longer valid.
        if (status === 401) return 0;
        await cloud.idle();
      }
    };
    const subject = kind === 'sensor' ? { kind, id: erased.sensorId } : { kind, id: customerId };
    const body = { subject, reason: 'asked for it', password: ADMIN_PASSWORD };
    let id = '';
    const begin = async (): Promise<void> => {
      while (id === '') {
        const admin = await scene.admin();
        const response = await answered(admin.call('POST', `/customers/${customerId}/erasures`, body));
        if (response.status === 202) id = (response.body as { id: string }).id;
        // A request whose response was lost may still have started the erasure.
        if (response.status === 404) return;
        await cloud.idle();
      }
    };
    return {
      atOnce: async () => {
        for (let round = 0; round < 4; round++) {
          await fall(erased);
          otherFalls.push(await fall(other));
          await step(chance() * MINUTE);
        }
        await begin();
        for (let round = 0; round < 6; round++) {
          await fall(erased);
          if (kind === 'sensor') otherFalls.push(await fall(other));
          await step(4 * MINUTE);
        }
      },
      heal: async () => {
        await judged();
        for (let round = 0; round < 20; round++) await step(3 * MINUTE);
        if (kind === 'customer') return;
        const fed = await reader.ok<Fed[]>('GET', `${path}/feed?limit=100`);
        for (const item of fed) starts.add(JSON.parse(item.body).event.raw.payload.timestamp);
        await (await scene.admin()).ok('DELETE', path);
      },
      after: async () => {
        const job = id === '' ? null : await stores.dataJobs.get({ customerId, kind: 'erasure', id });
        const needles = [
          erased.sensorId,
          ...(kind === 'customer' ? [`C#${customerId}`, other.sensorId, username] : []),
        ];
        const rows = (await everything()).filter((row) => !/^(C#\d+#JOBS|ERASURES|C#\d+ ERASED#\S+) /.test(row));
        const traces = rows.filter((row) => needles.some((needle) => new RegExp(`${needle}(?!\\d)`).test(row)));
        const left = traces.map((row) => `the erasure left ${row.slice(0, 120)}`);
        const state = job && job.state !== 'completed' ? [`the erasure is ${job.state}`] : [];
        const missing = kind === 'customer' ? [] : otherFalls.filter((start) => !starts.has(start));
        return [...state, ...left, ...missing.map((start) => `the fall of the other sensor at ${start} was lost`)];
      },
    };
  };

/** Faults during an erasure. */
export const ofErasures: readonly Fault[] = (['sensor', 'customer'] as const).flatMap((kind): Fault[] => [
  {
    title: `processes die while a ${kind} is erased: no data is left, and no other fall is lost`,
    rates: { crashes: failpoints, crash: 0.1, doubleMessage: 0.2 },
    falls: 'one',
    steps: 0,
    story: erase(kind),
  },
  {
    title: `table and queues fail while a ${kind} is erased: no data is left, and no other fall is lost`,
    rates: { refusal: 0.05, lostResponse: 0.05, unsent: 0.1, lostSend: 0.1, doubleMessage: 0.2, lateMessage: 0.2 },
    falls: 'one',
    steps: 0,
    story: erase(kind),
  },
]);
