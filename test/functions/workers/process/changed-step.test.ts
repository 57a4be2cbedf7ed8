import { afterEach, expect, test } from 'vitest';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
afterEach(() => world.stop());

/** An alarm sent to a, whose processes crash before they enqueue its step to b. */
const crashingAmidStep = async () => {
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
    /** Returns who has been notified once processes work again. */
    notified: async () => {
      isDown = false;
      await world.pass(120);
      expect(await home.due()).toEqual([]);
      return home.told.map(({ who }) => who).join('');
    },
  };
};

test('a crash amid a step notifies those whom it named and those whom its rule names now, once each', async () => {
  const { home, change, notified } = await crashingAmidStep();
  await change({ 60: 'c' });
  expect([...(await notified())].toSorted()).toEqual(['a', 'b', 'c']);
  expect(await home.rows()).toEqual([
    [0, 1, 'Bot a'],
    [1, 1, 'Bot b'],
    [1, 1, 'Bot c'],
  ]);
});

test.each([
  ['no longer', {}],
  ['at another place', { 30: 'a', 60: 'b' }],
])('a crash amid a step loses no alert when the rule has the step %s', async (_, steps) => {
  const { home, change, notified } = await crashingAmidStep();
  await change(steps);
  expect(await notified()).toBe('ab');
  expect(await home.rows()).toEqual([
    [0, 1, 'Bot a'],
    [1, 1, 'Bot b'],
  ]);
});

test('a crash amid a step notifies those whom the rule names now when the webhook that it named is gone', async () => {
  const { home, change, notified } = await crashingAmidStep();
  await change({ 60: 'c' });
  await home.client.ok('DELETE', `/webhooks/${home.webhookIds[1]}`);
  expect(await notified()).toBe('ac');
});

test('a crash amid a step notifies nobody after an acknowledgement, whoever the rule names now', async () => {
  const { home, change, notified } = await crashingAmidStep();
  await change({ 60: 'c' });
  await home.acknowledgement('PUT');
  expect(await notified()).toBe('a');
  expect(await home.waiting()).toEqual([]);
});
