import { failpoints } from '#shared/runtime/failpoints.ts';
import { linkSensor } from '#test/fixtures/home.ts';
import { b } from '#test/fixtures/messages.ts';
import type { Fault, Story } from '../fault.ts';
import { addAlarm } from '../homes.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

type Hit = { id: number; sensorId: string; acknowledgement: { name: string; date: number } | null };
const NAME = 'Anna Meier';
const OLDEST = { page: 0, perPage: 200, sortBy: 'asc(id)' };

/** A rule's receiver acknowledges each alarm, and so does a user at the same time. */
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
      const events = data.filter(({ action, uuid }) => action === 'acknowledged' && receiver.delivered.has(uuid));
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

const MINUTE = 60_000;
/**
 * How many minutes everything may fail while a fall is waiting. An alarm takes some 15 table calls and passes 6
 * failpoints, so about one attempt in 50 succeeds, and attempts become less frequent, down to one every 15 minutes.
 */
const FAILING_MINUTES = 5;
/**
 * A person on the floor raises three alarms, because no posture is reported for six minutes. A user acknowledges the
 * fall after the first alarm and again after the last one, each time through the fall's first event.
 */
const alarmedAgain = async (scene: Scene): Promise<Story> => {
  const { homes, chaos, clock, cloud, answered, step, stores } = scene;
  const { birch } = homes;
  const { client, customerId } = birch;
  const { device, sensorId } = await linkSensor(client, 'maker_b');
  const { hook, rule, bot } = await addAlarm(scene);
  birch.hooks = [...birch.hooks, hook];
  const first = crypto.randomUUID();
  const say = async (message: object) => {
    const body = { ...message, timestamp: clock.now() };
    const send = () => answered(device.call('POST', `/devices/${sensorId}/messages`, body));
    while ((await send()).status !== 202) await cloud.idle();
    await cloud.idle();
  };
  /** Waits for something while keeping the sensor online, because an offline sensor forgets the person. */
  const until = async (isDone: () => Promise<boolean>) => {
    const rates = chaos.rates();
    for (let minute = 0; !(await isDone()); minute++) {
      if (minute === FAILING_MINUTES) chaos.also({ crash: 0, refusal: 0, lostResponse: 0 });
      await step(MINUTE);
      await say(b.vital(0, 14, 60));
    }
    chaos.also(rates);
    await cloud.idle();
  };
  const acknowledge = (note: string) => {
    const path = `/sensors/${sensorId}/falls/${first}/acknowledgement`;
    return until(async () => (await answered(client.call('PUT', path, { note }))).status === 200);
  };
  const alarms = async () => {
    const { data } = await stores.events.list(customerId, sensorId, clock.now(), { page: 0, perPage: 50 });
    return data.filter(({ action }) => action === 'fall_detected').length;
  };
  const alarm = async (uuid: string) => {
    const before = await alarms();
    await say({ ...b.pose(1, 5), uuid });
    // The alarm is raised once the event is written, even if processes die.
    await until(async () => (await alarms()) > before);
  };
  const alarmAgain = async () => {
    for (let passed = 0; passed < 2; passed++) {
      await step(3.1 * MINUTE);
      await say(b.vital(0, 14, 60));
    }
    await alarm(crypto.randomUUID());
  };
  return {
    atOnce: async () => {
      await alarm(first);
      await acknowledge('first');
      await alarmAgain();
      await alarmAgain();
      await acknowledge('second');
    },
    after: async () => {
      const { data } = await ownEvents(scene, customerId, sensorId);
      const { hits } = await stores.hitLists.pageOfSensor(customerId, sensorId, 0, OLDEST);
      await client.ok('DELETE', rule);
      await client.ok('DELETE', `/webhooks/${hook.id}`);
      await client.ok('DELETE', bot);
      const raised = data.filter(({ action }) => action === 'fall_detected').length;
      const notes = new Set(hits.map(({ acknowledgement }) => acknowledgement?.note ?? 'none'));
      return [
        ...(raised === 3 ? [] : [`${raised} alarms, not three`]),
        ...(notes.has('none')
          ? ['a hit of the fall is open, although a user acknowledged it after its last alarm']
          : []),
        ...(notes.has('first') && notes.has('second') ? [] : [`hits with the notes ${[...notes].join(', ')}`]),
      ];
    },
  };
};

/** Faults while alarms are acknowledged. */
export const ofAcknowledgements: readonly Fault[] = [
  {
    title: 'a receiver and a user acknowledge while processes die: the first one wins and creates one event',
    rates: { crashes: failpoints, crash: 0.15, trouble: 0.2 },
    steps: 1,
    story: acknowledgedTwice,
  },
  {
    title: 'a receiver and a user acknowledge while table calls fail: the first one wins and creates one event',
    rates: { refusal: 0.1, lostResponse: 0.1 },
    steps: 1,
    story: acknowledgedTwice,
  },
  {
    title:
      'processes die and table calls fail while a fall alarms again: an acknowledgement covers only earlier alarms',
    rates: { crashes: failpoints, crash: 0.1, refusal: 0.1, lostResponse: 0.1 },
    falls: 'one',
    story: alarmedAgain,
  },
];
