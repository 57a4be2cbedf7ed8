import { afterEach, expect, test } from 'vitest';
import type { Failpoint } from '#shared/runtime/failpoints.ts';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
afterEach(() => world.stop());

/** An alarm told to a, whose processes die before they put its step, told to b, on the queue. */
const dyingAmidStep = async () => {
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
    /** Who has been told once processes live again. */
    told: async () => {
      isDown = false;
      await world.pass(120);
      expect(await home.due()).toEqual([]);
      return home.told.map(({ who }) => who).join('');
    },
  };
};

test('a step whose process died is told to whom it named and to whom its rule names by now, once each', async () => {
  const { home, change, told } = await dyingAmidStep();
  await change({ 60: 'c' });
  expect([...(await told())].toSorted()).toEqual(['a', 'b', 'c']);
  expect(await home.rows()).toEqual([
    [0, 1, 'Bot a'],
    [1, 1, 'Bot b'],
    [1, 1, 'Bot c'],
  ]);
});

test.each([
  ['no longer', {}],
  ['at another place', { 30: 'a', 60: 'b' }],
])('a step whose process died is told though its rule has it %s', async (_, steps) => {
  const { home, change, told } = await dyingAmidStep();
  await change(steps);
  expect(await told()).toBe('ab');
  expect(await home.rows()).toEqual([
    [0, 1, 'Bot a'],
    [1, 1, 'Bot b'],
  ]);
});

test('a step whose process died is told to whom its rule names by now where the webhook that it named is gone', async () => {
  const { home, change, told } = await dyingAmidStep();
  await change({ 60: 'c' });
  await home.client.ok('DELETE', `/webhooks/${home.webhookIds[1]}`);
  expect(await told()).toBe('ac');
});

test('a step whose process died is told to nobody, whomever its rule names by now, once somebody has acknowledged', async () => {
  const { home, change, told } = await dyingAmidStep();
  await change({ 60: 'c' });
  await home.acknowledgement('PUT');
  expect(await told()).toBe('a');
  expect(await home.waiting()).toEqual([]);
});
