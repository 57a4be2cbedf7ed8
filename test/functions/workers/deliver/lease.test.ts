import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterAll(() => world.stop());

type Hook = { id: string; name: string };
type Delivery = { id: string; state: string; reason: string | null };

/** Creates an alarm with an escalation step that is held because the recipient's webhook is disabled. */
const held = async () => {
  const home = await world.furnish(2);
  const { client } = home;
  await home.addRule('a', { 30: 'b' });
  const [page] = await client.ok<{ data: Hook[] }[]>('GET', '/webhooks');
  const hook = page?.data.find(({ name }) => name === 'b') ?? expect.unreachable();
  const at = `/webhooks/${hook.id}`;
  const turn = (isEnabled: boolean) => client.ok('PUT', at, { ...hook, isEnabled });
  await turn(false);
  await home.fall();
  await world.pass(40);
  const deliveries = async () => {
    const [list] = await client.ok<{ data: Delivery[] }[]>('GET', `${at}/deliveries`);
    return list?.data.map(({ id, state, reason }) => ({ id, state, reason })) ?? [];
  };
  expect([home.heard(), await deliveries()]).toEqual(['a0', [expect.objectContaining({ state: 'held' })]]);
  return { ...home, at, turn, deliveries };
};

test('cancels a held escalation step once the alarm is acknowledged', async () => {
  const { client, notifications, at, turn, deliveries, acknowledgement } = await held();
  await acknowledgement('PUT');
  await turn(true);
  await world.pass(70);
  const [delivery] = await deliveries();
  expect([notifications.length, delivery]).toEqual([
    1,
    expect.objectContaining({ state: 'failed', reason: 'canceled' }),
  ]);
  await client.ok('POST', `${at}/deliveries/${delivery?.id}/redeliver`);
  await world.pass(1);
  expect(notifications.map(({ who }) => who)).toEqual(['a', 'b']);
});

test('sends a held escalation step if the acknowledgement is withdrawn', async () => {
  const { notifications, turn, deliveries, acknowledgement } = await held();
  await acknowledgement('PUT');
  await acknowledgement('DELETE');
  await turn(true);
  await world.pass(70);
  expect(notifications.map(({ who }) => who)).toEqual(['a', 'b']);
  expect(await deliveries()).toEqual([expect.objectContaining({ state: 'delivered' })]);
});

test('does not retry an escalation step once the alarm is acknowledged', async () => {
  const home = await world.furnish(2);
  await home.addRule('a', { 30: 'b' });
  home.answerWith((who, response) => void response.writeHead(who === 'b' ? 500 : 200).end());
  await home.fall();
  await world.pass(31);
  const attempts = home.notifications.filter(({ who }) => who === 'b').length;
  expect(attempts).toBeGreaterThan(0);
  await home.acknowledgement('PUT');
  await world.pass(600);
  expect(home.notifications.filter(({ who }) => who === 'b')).toHaveLength(attempts);
  expect(await home.waiting()).toEqual([]);
});
