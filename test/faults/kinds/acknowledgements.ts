import { failpoints } from '#shared/runtime/failpoints.ts';
import { linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { addAlarm } from '../homes.ts';
import type { Scene } from '../scene.ts';

type Hit = { id: number; sensorId: string; acknowledgement: { name: string; date: number } | null };
const NAME = 'Anna Meier';
const OLDEST = { page: 0, perPage: 200, sortBy: 'asc(id)' };

/** The receiver of a rule acknowledges each alarm, and so does a user at the same time. */
const acknowledgedTwice = async (scene: Scene): Promise<Story> => {
  const { homes, receiver, stores, clock } = scene;
  const { birch } = homes;
  const { client, customerId } = birch;
  birch.sensor = await linkSensor(client);
  const { sensorId } = birch.sensor;
  const { hook, rule, bot } = await addAlarm(scene);
  birch.hooks = [...birch.hooks, hook];
  receiver.acknowledging.set(hook.path, NAME);
  const list = `/customers/${customerId}/rule-hits`;
  const hits = async (): Promise<Hit[]> => {
    const { body, status } = await client.call('GET', `${list}?sensorId=${sensorId}`);
    return status === 200 ? (body as [{ data: Hit[] }])[0].data : [];
  };
  const responses = new Map<number, Hit['acknowledgement']>();
  const acknowledgeAll = async () => {
    for (const { id } of await hits()) {
      const { body, status } = await client.call('PUT', `${list}/${id}/acknowledgement`, {});
      if (status === 200) responses.set(id, (body as Hit).acknowledgement);
    }
  };
  return {
    atOnce: acknowledgeAll,
    duringRetries: acknowledgeAll,
    after: async () => {
      const stored = (await stores.hitLists.pageOfSensor(customerId, sensorId, 0, OLDEST)).hits;
      const { data } = await stores.events.list(customerId, sensorId, clock.now(), { page: 0, perPage: 200 });
      const events = data.filter(({ type, uuid }) => type === 'alarm' && receiver.delivered.has(uuid));
      await client.ok('DELETE', rule);
      await client.ok('DELETE', `/webhooks/${hook.id}`);
      await client.ok('DELETE', bot);
      receiver.acknowledging.delete(hook.path);
      const open = stored.filter(({ acknowledgement }) => !acknowledgement);
      const changed = stored.filter(({ id, acknowledgement }) => {
        const response = responses.get(id);
        return response && (response.name !== acknowledgement?.name || response.date !== acknowledgement.date);
      });
      return [
        ...open.map(({ id }) => `hit ${id} is open, although its receiver acknowledged it`),
        ...changed.map(({ id }) => `the acknowledgement of hit ${id} was replaced`),
        ...(events.length === stored.length ? [] : [`${events.length} events for ${stored.length} acknowledgements`]),
      ];
    },
  };
};

/** Faults while alarms are acknowledged. */
export const ofAcknowledgements: readonly Fault[] = [
  {
    title: 'a receiver and a user acknowledge while processes die: the first one wins and makes one event',
    rates: { crashes: failpoints, crash: 0.15, trouble: 0.2 },
    steps: 1,
    story: acknowledgedTwice,
  },
  {
    title: 'a receiver and a user acknowledge while table calls fail: the first one wins and makes one event',
    rates: { refusal: 0.1, lostResponse: 0.1 },
    steps: 1,
    story: acknowledgedTwice,
  },
];
