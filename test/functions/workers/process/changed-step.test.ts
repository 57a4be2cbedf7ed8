import { afterEach, expect, test } from 'vitest';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
afterEach(() => world.stop());

/** Creates an alarm that is sent to `a`, while processes crash before they enqueue the step that notifies `b`. */
const crashDuringStep = async () => {
  let isDown = true;
  const failpoint = (name: Failpoint): void => {
    if (isDown && name === 'escalate.written') throw new Error('the process ends here');
  };
  world = await createEscalationWorld({ log: () => {}, wrap: (runtime) => ({ ...runtime, failpoint }) });
  const home = await world.furnish();
  const rule = await home.addRule('a', { 60: 'b' });
  await home.fall();
  await world.pass(70);
  expect(home.heard()).toBe('a0');
  return {
    home,
    change: (steps: Record<number, string>) => home.client.ok('PUT', `/rules/${rule.id}`, home.bodyOf('a', steps)),
    /** Resumes processing, and then returns the notified recipients. */
    notified: async () => {
      isDown = false;
      await world.pass(120);
      expect(await home.due()).toEqual([]);
      return home.notifications.map(({ who }) => who).join('');
    },
  };
};

test('an interrupted step notifies old and new recipients only once each', async () => {
  const { home, change, notified } = await crashDuringStep();
  await change({ 60: 'c' });
  expect([...(await notified())].toSorted()).toEqual(['a', 'b', 'c']);
  expect(await home.rows()).toEqual([
    [0, 1, 'Bot a'],
    [1, 1, 'Bot b'],
    [1, 1, 'Bot c'],
  ]);
});

test.each([
  ['it was removed from the rule', {}],
  ['the rule has moved it', { 30: 'a', 60: 'b' }],
])('an interrupted step does not lose an alert if %s', async (_, steps) => {
  const { home, change, notified } = await crashDuringStep();
  await change(steps);
  expect(await notified()).toBe('ab');
  expect(await home.rows()).toEqual([
    [0, 1, 'Bot a'],
    [1, 1, 'Bot b'],
  ]);
});

test('an interrupted step notifies the new recipients if the old webhook was deleted', async () => {
  const { home, change, notified } = await crashDuringStep();
  await change({ 60: 'c' });
  await home.client.ok('DELETE', `/webhooks/${home.webhookIds[1]}`);
  expect(await notified()).toBe('ac');
});

test('an interrupted step notifies no one once the alarm is acknowledged', async () => {
  const { home, change, notified } = await crashDuringStep();
  await change({ 60: 'c' });
  await home.acknowledgement('PUT');
  expect(await notified()).toBe('a');
  expect(await home.waiting()).toEqual([]);
});
