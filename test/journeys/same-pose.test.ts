import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEscalationWorld, type EscalationWorld } from '../fixtures/escalation.ts';
import { b } from '../fixtures/messages.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterAll(() => world.stop());

const pose = (number: number) => ({ ...b.pose(1, number), timestamp: world.clock.now() });
const vital = () => ({ ...b.vital(0, 14, 60), timestamp: world.clock.now() });

test('a repeated pose raises another alarm after 48 minutes without pose reports', async () => {
  const home = await world.furnish(1, 'maker_b');
  await home.addRule('a', {}, { rateLimitSeconds: 86_400 });
  await home.say(pose(5));
  await home.acknowledgement('PUT');
  for (let minutes = 0; minutes < 48; minutes += 4) {
    await world.pass(240);
    await home.say(vital());
  }
  await home.say(pose(5));
  await world.pass(5);
  const [newest, first] = (await home.hits()).toSorted((a, b) => b.id - a.id);
  expect(home.notifications).toHaveLength(2);
  expect([first?.acknowledgement?.date, newest?.acknowledgement]).toEqual([expect.any(Number), null]);
});

test('a pose repeated every minute raises one alarm', async () => {
  for (const isDated of [true, false]) {
    const home = await world.furnish(1, 'maker_b');
    await home.addRule('a', {}, { rateLimitSeconds: 0 });
    for (let minute = 0; minute < 15; minute++) {
      await home.say({ ...pose(5), ...(!isDated && { timestamp: undefined }) });
      await world.pass(60);
    }
    expect(home.notifications).toHaveLength(1);
  }
});
