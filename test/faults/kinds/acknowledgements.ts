import { failpoints } from '#shared/runtime/failpoints.ts';
import { linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { addAlarm } from '../homes.ts';
import type { Scene } from '../scene.ts';

type Hit = { id: number; sensorId: string; acknowledgement: { name: string; date: number } | null };
const WHO = 'Anna Meier';
const OLDEST = { page: 0, perPage: 200, sortBy: 'asc(id)' };

/** The receiver of a rule says who takes care of each alarm; meanwhile a user takes the same alarms. */
const taken = async (scene: Scene): Promise<Story> => {
  const { homes, receiver, stores, clock } = scene;
  const { birch } = homes;
  const { client, customerId } = birch;
  birch.sensor = await linkSensor(client);
  const { sensorId } = birch.sensor;
  const { hook, rule, bot } = await addAlarm(scene);
  birch.hooks = [...birch.hooks, hook];
  receiver.acknowledging.set(hook.path, WHO);
  const list = `/customers/${customerId}/rule-hits`;
  const hits = async (): Promise<Hit[]> => {
    const { body, status } = await client.call('GET', `${list}?sensorId=${sensorId}`);
    return status === 200 ? (body as [{ data: Hit[] }])[0].data : [];
  };
  const answered = new Map<number, Hit['acknowledgement']>();
  const take = async () => {
    for (const { id } of await hits()) {
      const { body, status } = await client.call('PUT', `${list}/${id}/acknowledgement`, {});
      if (status === 200) answered.set(id, (body as Hit).acknowledgement);
    }
  };
  return {
    atOnce: take,
    amid: take,
    after: async () => {
      const all = (await stores.hitLists.pageOfSensor(customerId, sensorId, 0, OLDEST)).hits;
      const { data } = await stores.events.list(customerId, sensorId, clock.now(), { page: 0, perPage: 200 });
      const told = data.filter(({ type, uuid }) => type === 'alarm' && receiver.heard.has(uuid));
      await client.ok('DELETE', rule);
      await client.ok('DELETE', `/webhooks/${hook.id}`);
      await client.ok('DELETE', bot);
      receiver.acknowledging.delete(hook.path);
      const open = all.filter(({ acknowledgement }) => !acknowledgement);
      const changed = all.filter(({ id, acknowledgement }) => {
        const said = answered.get(id);
        return said && (said.name !== acknowledgement?.name || said.date !== acknowledgement.date);
      });
      return [
        ...open.map(({ id }) => `hit ${id} is open, though its receiver said who takes care of it`),
        ...changed.map(({ id }) => `the acknowledgement of hit ${id} did not stand`),
        ...(told.length === all.length ? [] : [`${told.length} events tell of ${all.length} acknowledgements`]),
      ];
    },
  };
};

/** Faults amid which somebody takes care of an alarm. */
export const ofAcknowledgements: readonly Fault[] = [
  {
    title: 'a receiver and a user acknowledge while processes die: one of them stands, and it is told once',
    rates: { crashes: failpoints, crash: 0.15, trouble: 0.2 },
    steps: 1,
    story: taken,
  },
  {
    title: 'a receiver and a user acknowledge while calls of the table fail: one of them stands, and it is told once',
    rates: { refusal: 0.1, lostAnswer: 0.1 },
    steps: 1,
    story: taken,
  },
];
