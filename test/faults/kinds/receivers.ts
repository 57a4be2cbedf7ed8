import type { Misbehaviour } from '../answers.ts';
import { oneOf } from '../chance.ts';
import type { Fault, Story } from '../fault.ts';
import { replaceHook } from '../homes.ts';
import type { Scene } from '../scene.ts';

const HOUR = 3_600_000;
/** The deadline of an attempt, s, where a receiver uses it up. */
const deadline = 0.1;
const answering = (title: string, ...troubles: [Misbehaviour, ...Misbehaviour[]]): Fault => ({
  title,
  rates: { trouble: 0.5, troubles },
});

/** Whoever was switched off by an answer of 410 is switched on again. */
const enabled = async ({ homes }: Scene): Promise<Story> => ({
  heal: async () => {
    for (const { client, hooks } of Object.values(homes))
      for (const hook of hooks) {
        const { isEnabled } = await client.ok('GET', `/webhooks/${hook.id}`);
        if (!isEnabled) await replaceHook(client, hook, { isEnabled: true });
      }
  },
});

/** What ended unsent while nobody listened, for that reason, is sent again by a replay. */
const replayed = async ({ homes: { birch }, receiver, clock, drain }: Scene): Promise<Story> => {
  const since = clock.now();
  return {
    after: async () => {
      const [hook] = birch.hooks;
      const at = `/webhooks/${hook?.id}`;
      const [page] = await birch.client.ok<{ data: { reason: string }[] }[]>(
        'GET',
        `${at}/deliveries?state=failed&since=${since}`,
      );
      const reasons = page?.data.map(({ reason }) => reason);
      if (receiver.receipts.length > 0 || !reasons?.every((one) => one === 'exhausted'))
        return [`${receiver.receipts.length} told beyond the retry schedule, ended by ${reasons}`];
      await birch.client.ok('POST', `${at}/replays`, { since, until: clock.now(), states: ['failed'] });
      return (await drain()) > 0 ? ['a replay that does not end'] : [];
    },
  };
};

/** A receiver is called by its name, over TLS, and is not what it should be until all is well. */
const overTls = async ({ homes: { birch }, receiver, chance }: Scene, byName: boolean): Promise<Story> => {
  const { client } = birch;
  const [hook] = birch.hooks;
  if (!hook) throw new Error('a home without a webhook');
  await replaceHook(client, hook, { url: receiver.urls.tls + hook.path });
  receiver.useCertificate(byName ? 'good' : oneOf(chance, ['expired', 'stranger']), true);
  return {
    heal: async () => receiver.useCertificate('good'),
    after: async () => {
      await replaceHook(client, hook, { url: hook.url });
      return [];
    },
  };
};

/** A receiver of one customer is called by a name whose server answers nobody; the other customer hears of all. */
const slowlyNamed = async ({ homes: { maple, birch }, receiver }: Scene): Promise<Story> => {
  const [hook] = birch.hooks;
  if (!hook) throw new Error('a home without a webhook');
  await replaceHook(birch.client, hook, { url: receiver.urls.slow + hook.path });
  const toldOf = (id: number) => receiver.receipts.filter(({ customerId }) => customerId === id).length;
  let before = { maple: 0, birch: 0 };
  return {
    heal: async () => {
      before = { maple: toldOf(maple.customerId), birch: toldOf(birch.customerId) };
    },
    after: async () => {
      await replaceHook(birch.client, hook, { url: hook.url });
      const late = toldOf(maple.customerId) - before.maple;
      return late > 0 || before.birch > 0 ? [`${late} told too late, ${before.birch} without an address`] : [];
    },
  };
};

/** Receivers are in trouble, slow, hostile, gone for days, or not who they say. */
export const ofReceivers: readonly Fault[] = [
  { title: 'receivers answer with trouble', rates: { trouble: 0.6 } },
  {
    title: 'receivers are in trouble all the time: what waits comes when they are well',
    rates: { trouble: 1 },
  },
  {
    title: 'receivers take requests and never answer: they are left alone in time, and asked again',
    rates: { trouble: 0.25, troubles: ['hangs'], deadline },
  },
  {
    title: 'headers come byte by byte: the deadline ends it',
    rates: { trouble: 0.25, troubles: ['slowHeaders'], deadline },
  },
  {
    title: 'a body comes byte by byte: its status counts',
    rates: { trouble: 0.25, troubles: ['slowBody'], deadline },
  },
  answering('a body has no end: its status counts, and no more of it is read', 'endlessBody'),
  answering('a body is a gzip bomb: nobody unpacks it', 'gzipBomb'),
  answering(
    'the connection is cut before, in or behind the headers: it is tried again',
    'cutBefore',
    'cutInHeaders',
    'cutInBody',
  ),
  answering('the answer is no HTTP: it is tried again', 'nonsense'),
  answering('the answer leads elsewhere: nobody goes there, it is tried again', 'redirect'),
  {
    ...answering(
      'any status from 200 to 599: what is no success is tried again, and 410 parks what waits',
      'anyStatus',
    ),
    ...{ mayEnd: ['gone'], story: enabled },
  },
  {
    title: 'a receiver is down for 24 hours: all of it comes afterwards, by the retry schedule as it is',
    ...{ rates: { trouble: 1 }, settings: { RETRY_SCHEDULE: [] }, falls: 'one', lastsMs: 24 * HOUR },
  },
  {
    title: 'a receiver is down for 72 hours: all of it comes afterwards, by the retry schedule as it is',
    ...{ rates: { trouble: 1 }, settings: { RETRY_SCHEDULE: [] }, falls: 'one', lastsMs: 72 * HOUR },
  },
  {
    title: 'a receiver is down for 72 hours, longer than the retry schedule: what ended unsent comes by a replay',
    ...{
      rates: { trouble: 1 },
      settings: { RETRY_SCHEDULE: [0, 60, 600, 3_600] },
      falls: 'one',
      lastsMs: 72 * HOUR,
      story: replayed,
    },
  },
  {
    title: 'a certificate is expired or of a stranger: nothing is said until it is a good one',
    story: (scene) => overTls(scene, false),
  },
  {
    title: 'a name does not resolve, or to an address that must not be called: nothing is said until it does',
    ...{ rates: { names: 1 }, story: (scene) => overTls(scene, true) },
  },
  {
    title: 'a name server of one customer answers nobody: the other customer is told at once',
    ...{ rates: { slowNames: true, deadline: 1 }, steps: 1, story: slowlyNamed },
  },
];
