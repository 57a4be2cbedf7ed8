import { linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { addAlarm, addHook, type Home, type Hook, replaceHook } from '../homes.ts';
import type { Scene } from '../scene.ts';

/** The time (ms) after which a lagging read sees a write. */
const LAG_MS = 3_000;

const deleteHook = ({ client }: Home, { id }: Hook) => client.ok('DELETE', `/webhooks/${id}`);

const newSetup = async (scene: Scene): Promise<Story> => {
  const { homes, receiver, fresh } = scene;
  const { birch } = homes;
  birch.sensor = await linkSensor(birch.client);
  const own = await addHook(birch.client, receiver, birch.customerId, fresh('new'));
  const { hook, rule, bot } = await addAlarm(scene);
  birch.hooks = [...birch.hooks, own, hook];
  return {
    after: async () => {
      await birch.client.ok('DELETE', rule);
      for (const webhook of [own, hook]) await deleteHook(birch, webhook);
      await birch.client.ok('DELETE', bot);
      return [];
    },
  };
};

const movedIn = async ({ homes: { birch, maple }, admin }: Scene): Promise<Story> => {
  birch.sensor = await linkSensor(maple.client);
  const path = `/sensors/${birch.sensor.sensorId}/customer`;
  await (await admin()).ok('PUT', path, { customerId: birch.customerId });
  return {};
};

const deletedBefore = async (scene: Scene): Promise<Story> => {
  const { homes, receiver, step, fresh } = scene;
  const { birch } = homes;
  const own = await addHook(birch.client, receiver, birch.customerId, fresh('doomed'));
  const withRule = await addAlarm(scene);
  const withHook = await addAlarm(scene);
  await step(LAG_MS);
  await deleteHook(birch, own);
  await deleteHook(birch, withHook.hook);
  await birch.client.ok('DELETE', withRule.rule);
  for (const { path } of [own, withRule.hook, withHook.hook]) receiver.closed.add(path);
  return {
    after: async () => {
      await birch.client.ok('DELETE', withHook.rule);
      await deleteHook(birch, withRule.hook);
      for (const { bot } of [withRule, withHook]) await birch.client.ok('DELETE', bot);
      return [];
    },
  };
};

const changedBefore = async (scene: Scene): Promise<Story> => {
  const { homes, receiver, step, fresh } = scene;
  const { birch } = homes;
  const { hook, rule, bot } = await addAlarm(scene);
  await step(LAG_MS);
  const path = `/${birch.customerId}/${fresh('other')}`;
  const secretKey = fresh('another-secret-of-sixteen');
  await replaceHook(birch.client, hook, { url: receiver.urls.http + path });
  await birch.client.ok('PUT', `/webhooks/${hook.id}/secret`, { secretKey, overlapSeconds: 0 });
  const { token } = await birch.client.ok<{ token: string }>('POST', `/webhooks/${hook.id}/token`);
  receiver.closed.add(hook.path);
  receiver.secrets.set(path, secretKey);
  receiver.tokens.set(path, token);
  const unsigned = receiver.unsigned();
  birch.hooks = [...birch.hooks, { ...hook, path }];
  return {
    after: async () => {
      await birch.client.ok('DELETE', rule);
      await deleteHook(birch, hook);
      await birch.client.ok('DELETE', bot);
      return receiver.unsigned() > unsigned ? ['a request was signed with an old secret'] : [];
    },
  };
};

const changesSensor = async (scene: Scene, change: (home: Home) => Promise<unknown>): Promise<Story> => {
  const { birch } = scene.homes;
  birch.sensor = await linkSensor(birch.client);
  return { atOnce: () => change(birch).then(() => {}) };
};
const movedOut = (scene: Scene): Promise<Story> =>
  changesSensor(scene, async ({ sensor }) => {
    const body = { customerId: scene.homes.maple.customerId };
    return (await scene.admin()).ok('PUT', `/sensors/${sensor.sensorId}/customer`, body);
  });
const sensorDeleted = (scene: Scene): Promise<Story> =>
  changesSensor(scene, ({ sensor, client }) => client.ok('DELETE', `/sensors/${sensor.sensorId}`));

/** Starts a replay for deliveries that have just failed. */
const replayedImmediately = async ({ homes: { birch }, clock }: Scene): Promise<Story> => {
  const since = clock.now();
  return {
    heal: async () => {
      const path = `/webhooks/${birch.hooks[0]?.id}/replays`;
      await birch.client.ok('POST', path, { since, until: clock.now(), states: ['failed'] });
    },
  };
};

/** Every process that starts to judge a message dies. */
const unjudged = { rates: { crashes: ['process.judged'], crash: 1 }, falls: 'one', steps: 0 } as const;

/** Faults in which users make changes just before or after a fall. */
export const ofChanges: readonly Fault[] = [
  {
    title: 'a sensor, a rule, a bot and webhooks are created just before a fall: all webhooks receive it',
    story: newSetup,
  },
  {
    title: 'a sensor moves to another customer just before it reports a fall: the new customer receives it',
    story: movedIn,
  },
  { title: 'a rule and webhooks are deleted just before a fall: they get no delivery', story: deletedBefore },
  { title: 'a URL, a secret and a token are changed just before a fall: the new ones are used', story: changedBefore },
  {
    title: 'a sensor moves to another customer before its fall is judged: the previous customer receives it',
    ...unjudged,
    story: movedOut,
  },
  {
    title: 'a sensor is deleted before its fall is judged: the customer still receives it',
    ...unjudged,
    story: sensorDeleted,
  },
  {
    title: 'a replay starts just after deliveries have failed: all of them arrive',
    rates: { trouble: 1 },
    settings: { RETRY_SCHEDULE: [0] },
    story: replayedImmediately,
    steps: 0,
    falls: 'one',
  },
];
