import { setImmediate } from 'node:timers/promises';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { idBeforeFirst } from '#shared/store/hits/hit-item.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, homeAt, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const STEPS = [30, 60, 90];
/** How long (ms) after the response to an acknowledgement a step may still start. */
const MAX_DELAY_MS = 1_000;

/**
 * Creates a separate home, whose rule notifies one webhook immediately and another one in each step, after the seconds
 * in `steps`. The first fall is hit 1.
 */
export const furnishHome = async (scene: Scene, steps: readonly number[] = STEPS) => {
  const { receiver, clock, answered, cloud } = scene;
  const { customerId, client } = await createHome(await scene.admin(), scene.fresh('elm'), ALL_PERMISSIONS);
  const { device, sensorId } = await linkSensor(client);
  const home = homeAt(client);
  const urlOf = (name: string) => `${receiver.urls.http}/${customerId}/${name}`;
  const targets = await Promise.all(
    ['first', ...steps.map((seconds) => `after-${seconds}`)].map((name) =>
      home.addRecipient(name, { url: urlOf(name), secretKey: null }),
    ),
  );
  const hooks = targets.map(({ webhook }) => webhook.id);
  const [first = [], ...others] = targets.map(({ recipient }) => [recipient]);
  await home.addRule({
    name: 'n',
    situation: 'fall_detected',
    recipients: first,
    escalation: steps.map((afterSeconds, at) => ({ afterSeconds, recipients: others[at] ?? [] })),
  });
  const path = `/customers/${customerId}/rule-hits/${idBeforeFirst(customerId) + 1}`;

  return {
    hooks,
    /**
     * Posts a fall until it is accepted, even if processes die and the table fails. The sensor's clock is ahead by
     * `ms`.
     */
    fall: async (ms = 0): Promise<void> => {
      const message = { ...fallMessage('calling', clock.now() + ms), uuid: crypto.randomUUID() };
      const send = () => answered(device.call('POST', `/devices/${sensorId}/messages`, message));
      while ((await send()).status !== 202) await cloud.idle();
    },
    /** Acknowledges the fall. Returns when (ms) the response arrived, or null if the hit has not been written yet. */
    acknowledge: async (): Promise<number | null> => {
      for (;;) {
        const { status } = await client.call('PUT', `${path}/acknowledgement`, {});
        if (status === 200) return clock.now();
        if (status === 404) return null;
      }
    },
    /** Returns the newest hit's date (ms). */
    newestDate: async (): Promise<number> => {
      const list = `/customers/${customerId}/rule-hits?perPage=1&sortBy=desc(id)`;
      const [page] = await client.ok<{ data: RuleHit[] }[]>('GET', list);
      return page?.data[0]?.createDate ?? 0;
    },
    /** Returns each webhook's receipts, ordered by step, and the hit's content. */
    outcome: async () => {
      const receipts = receiver.receipts.map((receipt) => ({ ...receipt }));
      await ownEvents(scene, customerId, sensorId);
      const { ruleMessages, acknowledgement } = await client.ok<RuleHit>('GET', path);
      const bySteps = hooks.map((id) => receipts.filter(({ webhookId }) => webhookId === id));
      return { bySteps, ruleMessages, acknowledgement };
    },
  };
};

const countIds = (receipts: readonly { messageId: string }[]): number =>
  new Set(receipts.map(({ messageId }) => messageId)).size;

/** A fall that no one acknowledges. Each step must be delivered under one id. */
const threeSteps = async (scene: Scene): Promise<Story> => {
  const home = await furnishHome(scene);
  return {
    atOnce: () => home.fall(),
    after: async () => {
      const { bySteps, ruleMessages } = await home.outcome();
      const stepsOfHit = ruleMessages.map(({ step, wasSend }) => `${step}${wasSend ? '' : ' undelivered'}`).join();
      return [
        ...bySteps.flatMap((receipts, step) =>
          countIds(receipts) === 1 ? [] : [`step ${step} was delivered under ${countIds(receipts)} ids`],
        ),
        ...(stepsOfHit === '0,1,2,3' ? [] : [`the hit has the steps ${stepsOfHit}`]),
      ];
    },
  };
};

/** A fall acknowledged while a step is being decided. Whichever comes first counts, and no step starts later. */
const raced = async (scene: Scene): Promise<Story> => {
  const home = await furnishHome(scene);
  const { chance, step, cloud } = scene;
  let acknowledgedAt: number | null = null;
  let before = 0;
  return {
    atOnce: async () => {
      await home.fall();
      await cloud.idle();
      before = Math.floor(chance() * STEPS.length);
      for (let at = 0; at < before; at++) await step(30_100);
      const stepping = step(30_100);
      for (let turns = Math.floor(chance() * 60); turns > 0; turns--) await setImmediate();
      acknowledgedAt = await home.acknowledge();
      await stepping;
      acknowledgedAt ??= await home.acknowledge();
    },
    after: async () => {
      const { bySteps, ruleMessages, acknowledgement } = await home.outcome();
      const steps = bySteps.slice(1);
      const late = steps.flat().filter(({ at }) => acknowledgedAt !== null && at > acknowledgedAt + MAX_DELAY_MS);
      return [
        ...(acknowledgedAt === null || !acknowledgement ? ['the alarm could not be acknowledged'] : []),
        ...late.map(({ at }) => `a step started ${at - (acknowledgedAt ?? 0)} ms after the acknowledgement`),
        ...steps.flatMap((receipts, at) =>
          countIds(receipts) <= 1 ? [] : [`step ${at + 1} was delivered under ${countIds(receipts)} ids`],
        ),
        ...(ruleMessages.length > before + 2 ? [`${ruleMessages.length} messages after ${before} steps`] : []),
        ...(countIds(bySteps[0] ?? []) === 1 ? [] : ['the first recipient was not notified exactly once']),
      ];
    },
  };
};

const threeRounds = { falls: 'one', steps: 3, stepMs: 31_000 } as const;
const crashes = [
  ...(['process.decided', 'process.hits_written', 'process.deliveries_written', 'process.applied'] as const),
  ...(['escalate.decided', 'escalate.written', 'escalate.enqueued'] as const),
];

/** Faults while alarms escalate. */
export const ofEscalations: readonly Fault[] = [
  {
    title: 'an alarm escalates over three steps while processes die: each step is delivered under one id',
    rates: { crashes, crash: 0.4 },
    ...threeRounds,
    story: threeSteps,
  },
  {
    title: 'an alarm escalates while table and queues fail or deliver twice: each step has one id',
    rates: { refusal: 0.05, lostResponse: 0.05, unsent: 0.1, lostSend: 0.1, doubleMessage: 0.3, lostDeletion: 0.2 },
    ...threeRounds,
    story: threeSteps,
  },
  {
    title: 'sweeps and timers die while an alarm escalates: each step is delivered under one id',
    rates: { crashes: ['sweep.begun', 'sweep.checked', 'sweep.enqueued', 'escalate.decided'], crash: 0.6, unsent: 0.3 },
    ...threeRounds,
    story: threeSteps,
  },
  {
    title: 'an acknowledgement races a step: no step starts more than a second after the response',
    rates: { doubleMessage: 0.3 },
    falls: 'one',
    story: raced,
  },
  {
    title: 'an acknowledgement races a step while processes die: no step starts over a second after the response',
    rates: { crashes: ['escalate.decided', 'escalate.written', 'escalate.enqueued'], crash: 0.4, doubleMessage: 0.2 },
    falls: 'one',
    story: raced,
  },
];
