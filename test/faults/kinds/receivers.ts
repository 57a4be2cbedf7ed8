import { oneOf } from '../chance.ts';
import type { Posted } from '../check.ts';
import { postFall } from '../falls.ts';
import type { Fault, Story } from '../fault.ts';
import { replaceHook } from '../homes.ts';
import type { Misbehaviour } from '../responses.ts';
import type { Scene } from '../scene.ts';

const HOUR = 3_600_000;
/** The attempt deadline (s), for receivers that use all of it. */
const deadline = 0.1;
const responding = (title: string, ...troubles: [Misbehaviour, ...Misbehaviour[]]): Fault => ({
  title,
  rates: { trouble: 0.5, troubles },
});

/** Re-enables webhooks disabled by a 410. */
const enabled = async ({ homes }: Scene): Promise<Story> => ({
  heal: async () => {
    for (const { client, hooks } of Object.values(homes))
      for (const hook of hooks) {
        const { isEnabled } = await client.ok('GET', `/webhooks/${hook.id}`);
        if (!isEnabled) await replaceHook(client, hook, { isEnabled: true });
      }
  },
});

/** Starts a replay for deliveries that failed after the last retry. */
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
      if (receiver.receipts.length > 0 || !reasons?.every((reason) => reason === 'exhausted'))
        return [`${receiver.receipts.length} delivered after the end of the retry schedule; reasons: ${reasons}`];
      await birch.client.ok('POST', `${at}/replays`, { since, until: clock.now(), states: ['failed'] });
      return (await drain()) > 0 ? ['the replay does not end'] : [];
    },
  };
};

/** A receiver is called by name over TLS. The certificate or address is wrong until the fault ends. */
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

/** One customer's receiver has a name server that never responds. The other customer must receive everything. */
const slowNameServer = async ({ homes: { maple, birch }, receiver, cloud }: Scene): Promise<Story> => {
  const [hook] = birch.hooks;
  if (!hook) throw new Error('a home without a webhook');
  await replaceHook(birch.client, hook, { url: receiver.urls.slow + hook.path });
  const countOf = (id: number) => receiver.receipts.filter(({ customerId }) => customerId === id).length;
  let before = { maple: 0, birch: 0 };
  return {
    // The clock must not be set ahead while the falls are processed, because that alone would delay deliveries until
    // their tasks are repeated.
    atOnce: () => cloud.idle(),
    heal: async () => {
      before = { maple: countOf(maple.customerId), birch: countOf(birch.customerId) };
    },
    after: async () => {
      await replaceHook(birch.client, hook, { url: hook.url });
      const late = countOf(maple.customerId) - before.maple;
      return late > 0 || before.birch > 0 ? [`${late} delivered too late, ${before.birch} without an address`] : [];
    },
  };
};

/** How long (ms) a receiver is down. The next retries in the built-in schedule are due more than 15 minutes later. */
const OUTAGE = 25 * 60_000;

/**
 * A receiver is down, and comes back in the middle of the retry schedule. The first successful delivery, of a newer
 * fall, must also release the older ones, which arrive at most `withinMs` later.
 */
const backAmid = async (scene: Scene, withinMs: number): Promise<Story> => {
  const { receiver, clock, step, last } = scene;
  const { birch } = scene.homes;
  const [hook] = birch.hooks;
  if (!hook) throw new Error('a home without a webhook');
  receiver.down.add(hook.path);
  let backDate = 0;
  let add: (posted: Posted) => void = () => {};
  return {
    atOnce: async (also) => {
      add = also;
      for (let at = 0; at < 3; at++) also(await postFall(scene, birch));
    },
    duringRetries: async () => {
      await last(OUTAGE);
      receiver.down.delete(hook.path);
      backDate = clock.now();
      add(await postFall(scene, birch));
      for (let second = 0; second < 10; second++) await step(1_000);
      while (clock.now() < backDate + withinMs) await step(31_000);
    },
    after: async () => {
      const first = new Map(receiver.receipts.toReversed().map(({ uuid, at }) => [uuid, at]));
      const late = [...first.values()].filter((at) => at > backDate + withinMs);
      return late.map((at) => `a fall was delivered ${at - backDate} ms after its receiver was back`);
    },
  };
};

/** Receiver faults: errors, slowness, malicious responses, long outages, and wrong identities. */
export const ofReceivers: readonly Fault[] = [
  { title: 'receivers misbehave: every fall is delivered', rates: { trouble: 0.6 } },
  {
    title: 'receivers misbehave all the time: pending deliveries arrive once they are healthy',
    rates: { trouble: 1 },
  },
  {
    title: 'receivers accept requests and never respond: each attempt ends at its deadline and is retried',
    rates: { trouble: 0.25, troubles: ['hangs'], deadline },
  },
  {
    title: 'response headers arrive byte by byte: the status line decides',
    rates: { trouble: 0.25, troubles: ['slowHeaders'], deadline },
  },
  {
    title: 'a response body arrives byte by byte: the status alone decides',
    rates: { trouble: 0.25, troubles: ['slowBody'], deadline },
  },
  responding('a response body never ends: the status decides, and reading stops', 'endlessBody'),
  responding('a response body is a gzip bomb: it is not decompressed', 'gzipBomb'),
  responding(
    'the connection is cut before, in or after the headers: the request is retried',
    'cutBefore',
    'cutInHeaders',
    'cutInBody',
  ),
  responding('the response is not HTTP: the request is retried', 'nonsense'),
  responding('the response is a redirect: it is not followed, and the request is retried', 'redirect'),
  {
    ...responding(
      'a response has any status from 200 to 599: failures are retried, and 410 holds pending deliveries',
      'anyStatus',
    ),
    mayEnd: ['gone'],
    story: enabled,
  },
  {
    title: 'a receiver is down for 24 hours: the built-in retry schedule delivers everything afterwards',
    rates: { trouble: 1 },
    settings: { RETRY_SCHEDULE: [] },
    falls: 'one',
    lastsMs: 24 * HOUR,
  },
  {
    title: 'a receiver is back in mid-schedule: all pending falls are delivered within 10 seconds',
    rates: {},
    settings: { RETRY_SCHEDULE: [] },
    steps: 0,
    story: (scene) => backAmid(scene, 10_000),
  },
  {
    title: 'a receiver is back in mid-schedule while processes die: pending falls are delivered within 3 minutes',
    rates: { crashes: ['release.enqueued'], crash: 0.5 },
    settings: { RETRY_SCHEDULE: [] },
    steps: 0,
    story: (scene) => backAmid(scene, 3 * 60_000),
  },
  {
    title: 'a receiver is down for 72 hours: the built-in retry schedule delivers everything afterwards',
    rates: { trouble: 1 },
    settings: { RETRY_SCHEDULE: [] },
    falls: 'one',
    lastsMs: 72 * HOUR,
  },
  {
    title: 'a receiver is down for longer than the retry schedule: a replay sends the failed deliveries',
    rates: { trouble: 1 },
    settings: { RETRY_SCHEDULE: [0, 60, 600, 3_600] },
    falls: 'one',
    lastsMs: 72 * HOUR,
    story: replayed,
  },
  {
    title: 'a certificate is expired or not trusted: nothing is sent until it is valid',
    story: (scene) => overTls(scene, false),
  },
  {
    title: 'a name does not resolve, or resolves to a forbidden address: nothing is sent until this is fixed',
    rates: { names: 1 },
    story: (scene) => overTls(scene, true),
  },
  {
    title: "one customer's name server never responds: the other customer gets deliveries immediately",
    rates: { slowNames: true, deadline: 1 },
    steps: 1,
    story: slowNameServer,
  },
];
