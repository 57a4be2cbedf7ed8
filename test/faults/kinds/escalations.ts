import { setImmediate } from 'node:timers/promises';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { firstId } from '#shared/store/hits/hit-item.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, homeAt, linkSensor } from '#test/fixtures/home.ts';
import type { Fault, Story } from '../fault.ts';
import { ownEvents } from '../own-events.ts';
import type { Scene } from '../scene.ts';

const STEPS = [30, 60, 90];
/** A step begins no later (ms) than this after an acknowledgement was answered (completion 12 "Escalation"). */
const AT_ONCE = 1_000;

/** A home of its own, whose rule tells a webhook at once and another one in each step. Its first fall is hit number 1. */
const furnishHome = async (scene: Scene) => {
  const { receiver, clock, answered, cloud } = scene;
  const { customerId, client } = await createHome(await scene.admin(), scene.fresh('elm'), ALL_PERMISSIONS);
  const { device, sensorId } = await linkSensor(client);
  const home = homeAt(client);
  const urlOf = (name: string) => `${receiver.urls.http}/${customerId}/${name}`;
  const told = await Promise.all(
    ['first', 'second', 'third', 'fourth'].map((name) =>
      home.addRecipient(name, { url: urlOf(name), secretKey: null }),
    ),
  );
  const hooks = told.map(({ webhook }) => webhook.id);
  const [first = [], ...others] = told.map(({ recipient }) => [recipient]);
  await home.addRule({
    name: 'n',
    situation: 'fall_detected',
    recipients: first,
    escalation: STEPS.map((afterSeconds, at) => ({ afterSeconds, recipients: others[at] ?? [] })),
  });
  const path = `/customers/${customerId}/rule-hits/${firstId(customerId) + 1}`;

  return {
    hooks,
    /** Calls until it is answered, though processes die and the table fails. */
    fall: async (): Promise<void> => {
      const message = { ...fallMessage('calling', clock.now()), uuid: crypto.randomUUID() };
      const send = () => answered(device.call('POST', `/devices/${sensorId}/messages`, message));
      while ((await send()).status !== 202) await cloud.idle();
    },
    /** Acknowledges the fall. Gives when (ms) that was answered; null when its hit is not written yet. */
    acknowledge: async (): Promise<number | null> => {
      for (;;) {
        const { status } = await client.call('PUT', `${path}/acknowledgement`, {});
        if (status === 200) return clock.now();
        if (status === 404) return null;
      }
    },
    /** What each webhook got of the fall, in the order of the steps, and what its hit says. */
    outcome: async () => {
      const got = receiver.receipts.map((receipt) => ({ ...receipt }));
      await ownEvents(scene, customerId, sensorId);
      const { ruleMessages, acknowledgement } = await client.ok<RuleHit>('GET', path);
      return { got: hooks.map((id) => got.filter(({ webhookId }) => webhookId === id)), ruleMessages, acknowledgement };
    },
  };
};

const idsOf = (got: readonly { messageId: string }[]): number => new Set(got.map(({ messageId }) => messageId)).size;

/** A fall that nobody acknowledges: each step must be told, under one id. */
const threeSteps = async (scene: Scene): Promise<Story> => {
  const home = await furnishHome(scene);
  return {
    atOnce: home.fall,
    after: async () => {
      const { got, ruleMessages } = await home.outcome();
      const said = ruleMessages.map(({ step, wasSend }) => `${step}${wasSend ? '' : ' untold'}`).join();
      return [
        ...got.flatMap((receipts, step) =>
          idsOf(receipts) === 1 ? [] : [`step ${step} was told under ${idsOf(receipts)} ids`],
        ),
        ...(said === '0,1,2,3' ? [] : [`the hit has the steps ${said}`]),
      ];
    },
  };
};

/** A fall that somebody acknowledges while a step is decided: what comes first counts, and nothing begins later. */
const raced = async (scene: Scene): Promise<Story> => {
  const home = await furnishHome(scene);
  const { chance, step, cloud } = scene;
  let answeredAt: number | null = null;
  let before = 0;
  return {
    atOnce: async () => {
      await home.fall();
      await cloud.idle();
      before = Math.floor(chance() * STEPS.length);
      for (let at = 0; at < before; at++) await step(30_100);
      const stepping = step(30_100);
      for (let turns = Math.floor(chance() * 60); turns > 0; turns--) await setImmediate();
      answeredAt = await home.acknowledge();
      await stepping;
      answeredAt ??= await home.acknowledge();
    },
    after: async () => {
      const { got, ruleMessages, acknowledgement } = await home.outcome();
      const steps = got.slice(1);
      const late = steps.flat().filter(({ at }) => answeredAt !== null && at > answeredAt + AT_ONCE);
      return [
        ...(answeredAt === null || !acknowledgement ? ['nobody could acknowledge'] : []),
        ...late.map(({ at }) => `a step began ${at - (answeredAt ?? 0)} ms after the acknowledgement`),
        ...steps.flatMap((receipts, at) =>
          idsOf(receipts) <= 1 ? [] : [`step ${at + 1} was told under ${idsOf(receipts)} ids`],
        ),
        ...(ruleMessages.length > before + 2 ? [`${ruleMessages.length} messages after ${before} steps`] : []),
        ...(idsOf(got[0] ?? []) === 1 ? [] : ['the first recipient was not told once']),
      ];
    },
  };
};

const whole = { falls: 'one', steps: 3, stepMs: 31_000 } as const;
const deaths = [
  ...(['process.decided', 'process.hits_written', 'process.deliveries_written', 'process.applied'] as const),
  ...(['escalate.decided', 'escalate.written', 'escalate.enqueued'] as const),
];

/** Faults while alarms that nobody acknowledges are told on. */
export const ofEscalations: readonly Fault[] = [
  {
    title: 'an alarm escalates over three steps while processes die: each step is told, under one id',
    rates: { crashes: deaths, crash: 0.4 },
    ...whole,
    story: threeSteps,
  },
  {
    title:
      'an alarm escalates over three steps while table and queues fail, or deliver twice: each step is told, under one id',
    rates: { refusal: 0.05, lostAnswer: 0.05, unsent: 0.1, lostSend: 0.1, doubleMessage: 0.3, lostDeletion: 0.2 },
    ...whole,
    story: threeSteps,
  },
  {
    title: 'sweeps and timers die while an alarm escalates: each step is told, under one id',
    rates: { crashes: ['sweep.begun', 'sweep.checked', 'sweep.enqueued', 'escalate.decided'], crash: 0.6, unsent: 0.3 },
    ...whole,
    story: threeSteps,
  },
  {
    title: 'an acknowledgement races a step: no step begins more than a second after it was answered',
    rates: { doubleMessage: 0.3 },
    falls: 'one',
    story: raced,
  },
  {
    title: 'an acknowledgement races a step while processes die: no step begins more than a second after it',
    rates: { crashes: ['escalate.decided', 'escalate.written', 'escalate.enqueued'], crash: 0.4, doubleMessage: 0.2 },
    falls: 'one',
    story: raced,
  },
];
