import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';
import { fallMessage } from '#test/fixtures/home.ts';
import { a, b } from '#test/fixtures/messages.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterAll(() => world.stop());

type Home = Awaited<ReturnType<EscalationWorld['furnish']>>;

/** Returns the message with the world's current time. */
const restamped = (message: object): object => {
  const time = world.clock.now();
  const { payload, timestamp, ...rest } = message as { payload?: object; timestamp?: number };
  return {
    ...rest,
    ...(payload && { payload: { ...payload, timestamp: time } }),
    ...(timestamp && { timestamp: time }),
  };
};

describe('an escalation with untilAcknowledged false', () => {
  const over = { untilAcknowledged: false };
  test.each<[string, string, string, (home: Home, start: number) => Promise<unknown>]>([
    ['a fall is finished', 'fall_detected', 'a0', (home, start) => home.say(fallMessage('finished', start))],
    ['a fall is canceled', 'fall_suspected', 'a0', (home, start) => home.say(fallMessage('canceled', start))],
    [
      'another fall is finished',
      'fall_detected',
      'a0 b30',
      (home) => home.say(fallMessage('finished', world.clock.now() - 5_000)),
    ],
  ])('an escalation lasts only as long as the fall: %s', async (_, situation, heard, end) => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b' }, { ...over, situation });
    home.begin();
    const start = world.clock.now();
    await home.say(fallMessage(situation === 'fall_detected' ? 'calling' : 'fall_detected', start));
    await world.pass(5);
    await end(home, start);
    await world.pass(40);
    expect(home.heard()).toBe(heard);
  });

  test.each<[string, string, 'maker_a' | 'maker_b', object[], object[]]>([
    ['an empty room is entered', 'empty_room', 'maker_a', [a.presence(true), a.presence(false)], [a.presence(true)]],
    ['an occupied room becomes empty', 'occupied_room', 'maker_a', [a.presence(true)], [a.presence(false)]],
    ['a region that was entered is left', 'region_entered', 'maker_a', [a.regions({ 3: 1 })], [a.regions({ 3: 0 })]],
    [
      'a region that was left is entered',
      'region_left',
      'maker_a',
      [a.regions({ 3: 1 }), a.regions({ 3: 0 })],
      [a.regions({ 3: 1 })],
    ],
    ['a person who fell changes pose', 'fall_detected', 'maker_b', [b.pose(1, 5)], [b.pose(1, 3)]],
    [
      'a person who entered a region leaves it',
      'region_entered',
      'maker_b',
      [b.move(1, 3, 0, 2)],
      [b.move(1, 4, 0, 2)],
    ],
    ['a person who left a region returns to it', 'region_left', 'maker_b', [b.move(1, 4, 0, 2)], [b.move(1, 3, 0, 2)]],
    [
      'an inactive sensor becomes active',
      'sensor_inactive',
      'maker_b',
      [b.people(1), b.online(false)],
      [b.online(true)],
    ],
  ])('an escalation ends once the event is over: %s', async (_, situation, maker, begin, end) => {
    for (const [ended, heard] of [
      [end, 'a0'],
      [[], 'a0 b30'],
    ] as const) {
      const home = await world.furnish(2, maker);
      await home.addRule('a', { 30: 'b' }, { ...over, situation });
      home.begin();
      for (const message of begin) await home.say(restamped(message));
      await world.pass(5);
      for (const message of ended) await home.say(restamped(message));
      await world.pass(40);
      expect(home.heard()).toBe(heard);
    }
  });

  test('an escalation continues when a fall times out before the device reports the end', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 60: 'b', 120: 'b', 300: 'b', 600: 'b' }, over);
    home.begin();
    const start = world.clock.now();
    for (const status of ['fall_detected', 'calling']) await home.say(fallMessage(status, start));
    await world.pass(400);
    expect(home.heard()).toBe('a0 b60 b120 b300');
    await home.say(fallMessage('finished', start));
    await world.pass(300);
    expect(home.heard()).toBe('a0 b60 b120 b300');
  });

  test('an escalation continues if the fall timed out more than two hours ago', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 9000: 'b', 10000: 'b' }, over);
    home.begin();
    const start = world.clock.now();
    await home.say(fallMessage('calling', start));
    for (let minute = 0; minute < 155; minute++) await world.pass(60);
    expect(home.heard()).toBe('a0 b9000');
    await home.say(fallMessage('finished', start));
    await world.pass(2_000);
    expect(home.heard()).toBe('a0 b9000');
  });

  test('an escalation ends when someone closes a timed-out fall', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 600: 'b' }, over);
    home.begin();
    await home.say(fallMessage('calling', world.clock.now()));
    await world.pass(400);
    const [page] = await home.client.ok<{ data: { sensorId: string; falls: { uuid: string }[] }[] }[]>(
      'GET',
      `/customers/${home.customerId}/open-falls`,
    );
    const [{ sensorId, falls } = expect.unreachable()] = page?.data ?? [];
    await home.client.ok('PUT', `/sensors/${sensorId}/falls/${falls[0]?.uuid}/closure`, { outcome: 'helped' });
    await world.pass(400);
    expect(home.heard()).toBe('a0');
  });

  test("an escalation ends with one person's fall, even while another person is down", async () => {
    const home = await world.furnish(2, 'maker_b');
    await home.addRule('a', { 30: 'b' }, over);
    home.begin();
    await home.say(restamped(b.pose(1, 5)));
    await home.say(restamped(b.pose(2, 5)));
    await home.say(restamped(b.pose(2, 3)));
    await world.pass(40);
    expect(home.heard()).toBe('a0 a0 b30');
  });

  test('an escalation continues when a restarted sensor loses track of people', async () => {
    const home = await world.furnish(2, 'maker_b');
    await home.addRule('a', { 30: 'b' }, over);
    home.begin();
    for (const message of [b.pose(1, 5), b.online(false), b.online(true)]) await home.say(restamped(message));
    await world.pass(40);
    expect(home.heard()).toBe('a0 b30');
  });

  test('an escalation about a fall loop continues, because a fall loop never ends', async () => {
    const home = await world.furnish(2);
    await home.addRule('a', { 30: 'b' }, { ...over, situation: 'fall_loop' });
    home.begin();
    for (const at of [3, 2, 1]) {
      const start = world.clock.now() - at;
      await home.say(fallMessage('fall_detected', start));
      await home.say(fallMessage('canceled', start));
    }
    await world.pass(40);
    expect(home.heard()).toBe('a0 b30');
  });
});
