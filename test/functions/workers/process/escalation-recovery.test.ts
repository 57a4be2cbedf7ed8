import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { createCrash } from '#test/fixtures/crash.ts';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterEach(() => world.loseTimers(false));
afterAll(() => world.stop());

describe('a due step', () => {
  test('a step due during an outage runs within 60 s after the outage', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 60: 'c' });
    world.loseTimers(true);
    await home.fall();
    await world.pass(3_600);
    expect(home.heard()).toBe('a0');
    world.loseTimers(false);
    await world.pass(61);
    expect(home.notifications.map(({ who }) => who).join('')).toBe('abc');
    for (const { at } of home.notifications.slice(1))
      expect(at - (home.notifications[0]?.at ?? 0)).toBeLessThanOrEqual(3_661_000);
  });

  test('a step runs on time even if its task arrives two seconds early', async () => {
    const delays: number[] = [];
    const early = await createEscalationWorld({
      wrap: (runtime) => ({
        ...runtime,
        queues: {
          ...runtime.queues,
          send: async (queue, messages) => {
            const sent = messages.map(({ delaySeconds, ...message }) => {
              const isRound = queue === 'timers' && message.body.includes('escalate');
              if (isRound) delays.push(delaySeconds);
              return { ...message, delaySeconds: isRound && delays.length === 1 ? delaySeconds - 2 : delaySeconds };
            });
            await runtime.queues.send(queue, sent);
          },
        },
      }),
    });
    const home = await early.furnish();
    await home.addRule('a', { 30: 'b' });
    await home.fall();
    await early.pass(120);
    expect(home.heard()).toBe('a0 b30');
    // The last delay is the wait for an acknowledgement.
    expect(delays.slice(1)).toEqual([2, 60]);
    await early.stop();
  });

  test('a step notifies each recipient only once, even if two workers run it', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 60: 'c' }, { repeatSeconds: 60 });
    await home.fall();
    const [hit] = await home.hits();
    for (let second = 0; second < 130; second++) {
      await world.pass(1);
      await home.escalateTwice(hit?.id ?? 0);
    }
    expect(home.heard()).toBe('a0 b30 c60 a120 b120 c120');
  });
});

describe('an escalation whose process crashes', () => {
  test.each(['escalate.decided', 'escalate.written', 'escalate.enqueued'] as const)(
    'each step of an escalation notifies its recipients only once after a crash at %s',
    async (name) => {
      const death = createCrash();
      const dying = await createEscalationWorld(death.options);
      const home = await dying.furnish();
      await home.addRule('a', { 30: 'b', 90: 'c' });
      await home.fall();
      death.at(name);
      await dying.pass(200);
      expect(death.isOver()).toBe(true);
      expect(home.notifications.map(({ who }) => who).join('')).toBe('abc');
      expect(await home.rows()).toEqual([
        [0, 1, 'Bot a'],
        [1, 1, 'Bot b'],
        [2, 1, 'Bot c'],
      ]);
      await dying.stop();
    },
  );

  test('an interrupted step is not sent once the alarm is acknowledged', async () => {
    let died = 0;
    const failpoint = (name: Failpoint): void => {
      if (name !== 'escalate.written' || (died > 0 && isAcknowledged)) return;
      died += 1;
      throw new Error('the process ends here');
    };
    let isAcknowledged = false;
    const wrap = (runtime: Runtime): Runtime => ({ ...runtime, failpoint });
    const dying = await createEscalationWorld({ log: () => {}, wrap });
    const home = await dying.furnish();
    await home.addRule('a', { 30: 'b', 90: 'c' });
    await home.fall();
    await dying.pass(31);
    expect(died).toBeGreaterThan(0);
    await home.acknowledgement('PUT');
    isAcknowledged = true;
    await dying.pass(200);
    expect(home.heard()).toBe('a0');
    await home.acknowledgement('DELETE');
    await dying.pass(10);
    expect(home.notifications.map(({ who }) => who).join('')).toBe('ac');
    expect(await home.waiting()).toEqual([]);
    await dying.stop();
  });
});
