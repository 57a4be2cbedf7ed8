import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEscalationWorld, type EscalationWorld } from '#test/fixtures/escalation.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterEach(() => world.loseTimers(false));
afterAll(() => world.stop());

describe('an unacknowledged alarm', () => {
  test('each step of an escalation notifies its recipients on time', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 90: 'cb' });
    await home.fall();
    await world.pass(600);
    expect(home.heard()).toBe('a0 b30 b90 c90');
    expect(await home.rows()).toEqual([
      [0, 1, 'Bot a'],
      [1, 1, 'Bot b'],
      [2, 1, 'Bot c'],
      [2, 1, 'Bot b'],
    ]);
    expect((await home.hits())[0]?.allSend).toBe(true);
    expect(new Set(home.notifications.map(({ id }) => id)).size).toBe(4);
  });

  test('an escalation step sends a new acknowledge link with the same content', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 60: 'c' });
    await home.fall();
    await world.pass(40);
    const [first, second] = home.notifications.map(({ body }) => body);
    const same = { webhook: expect.anything(), acknowledgeUrl: expect.any(String) };
    expect(second).toEqual({ ...first, ...same });
    expect(second?.acknowledgeUrl).not.toBe(first?.acknowledgeUrl);
    const path = new URL(second?.acknowledgeUrl ?? '').pathname.replace(/^\/api\/v1/, '');
    expect(await home.client.as(undefined).ok('POST', path, {})).toMatchObject({ name: 'Bot b' });
    await world.pass(100);
    expect(home.heard()).toBe('a0 b30');
  });

  test('an escalation step is on time even if a queue cannot delay it long enough', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 901: 'b', 3600: 'c' });
    await home.fall();
    await world.pass(4_000);
    expect(home.heard()).toBe('a0 b900 c3600');
  });

  test('an unacknowledged alarm is repeated to all recipients up to 20 times', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 60: 'ab' }, { repeatSeconds: 60 });
    await home.fall();
    await world.pass(60 * 30);
    const again = Array.from({ length: 20 }, (_, at) => `a${120 + at * 60} b${120 + at * 60}`).join(' ');
    expect(home.heard()).toBe(`a0 b30 a60 b60 ${again}`);
    expect(await home.rows()).toEqual([
      [0, 21, 'Bot a'],
      [1, 21, 'Bot b'],
      [2, 1, 'Bot a'],
      [2, 1, 'Bot b'],
    ]);
  });

  test('an alarm is repeated even if the rule has no steps', async () => {
    const home = await world.furnish(1);
    await home.addRule('a', {}, { repeatSeconds: 60 });
    await home.fall();
    await world.pass(130);
    expect(home.heard()).toBe('a0 a60 a120');
  });

  test('an escalation works for hits with packed messages', async () => {
    const home = await world.furnish(5);
    await home.addRule('abcd', { 30: 'ea' });
    await home.fall();
    await world.pass(40);
    expect((await home.rows())?.slice(-2)).toEqual([
      [1, 1, 'Bot e'],
      [1, 1, 'Bot a'],
    ]);
  });

  test('the hit list sorts escalated alarms by the date of the last change', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b' });
    await home.fall();
    await world.pass(20);
    await home.fall();
    await world.pass(20);
    const query = '/rule-hits?sortBy=desc(updateDate)';
    const [page] = await home.client.ok<{ data: { id: number }[] }[]>('GET', `/customers/${home.customerId}${query}`);
    expect(page?.data.map(({ id }) => id)).toEqual((await home.hits()).map(({ id }) => id).sort());
  });
});

describe('acknowledging an escalated alarm', () => {
  test('withdrawing an acknowledgement resumes the escalation at the next step', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 90: 'c' });
    await home.fall();
    await world.pass(40);
    await home.acknowledgement('PUT');
    await world.pass(20);
    await home.acknowledgement('DELETE');
    await world.pass(100);
    expect(home.heard()).toBe('a0 b30 c90');
  });

  test('withdrawing an acknowledgement runs an overdue step at once', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b', 90: 'c', 3600: 'a' });
    await home.fall();
    await home.acknowledgement('PUT');
    await world.pass(200);
    expect(home.heard()).toBe('a0');
    world.loseTimers(true);
    await home.acknowledgement('DELETE');
    world.loseTimers(false);
    await world.pass(61);
    expect(home.notifications.map(({ who }) => who).join('')).toBe('abc');
    await world.pass(3_600);
    expect(home.heard()).toMatch(/ a3600$/);
  });

  test('an acknowledgement stops the alarm from repeating', async () => {
    const home = await world.furnish(1);
    await home.addRule('a', {}, { repeatSeconds: 60 });
    await home.fall();
    await world.pass(130);
    await home.acknowledgement('PUT');
    await world.pass(600);
    expect(home.heard()).toBe('a0 a60 a120');
  });

  test('an acknowledgement cancels all due escalation steps', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b' });
    await home.fall();
    await home.acknowledgement('PUT');
    await world.pass(60);
    expect(await home.due()).toEqual([]);
  });
});

describe('an escalation', () => {
  test('an escalation leaves nothing behind if no one responds to the last step', async () => {
    const home = await world.furnish();
    await home.addRule('a', { 30: 'b' });
    await home.fall();
    expect(await home.due()).toHaveLength(1);
    await world.pass(40);
    expect(await home.due()).toHaveLength(1);
    await world.pass(70);
    expect(await home.due()).toEqual([]);
    expect(Object.keys((await home.stored()) ?? {})).not.toContain('cause');
  });

  test('an escalation ends when the rule or the sensor is deleted', async () => {
    for (const end of ['rule', 'sensor']) {
      const home = await world.furnish();
      const rule = await home.addRule('a', { 3600: 'b' });
      await home.fall();
      if (end === 'rule') await home.client.ok('DELETE', `/rules/${rule.id}`);
      else {
        await world.pass(600);
        await home.client.ok('DELETE', `/sensors/${home.sensorId}`);
      }
      await world.pass(4_000);
      expect(home.heard()).toBe('a0');
      expect(await home.due()).toEqual([]);
    }
  });

  test('an escalation continues when the rule is disabled after the event', async () => {
    const home = await world.furnish();
    const rule = await home.addRule('a', { 30: 'b' });
    await home.fall();
    await home.client.ok('PUT', `/rules/${rule.id}`, home.bodyOf('a', { 30: 'b' }, { isEnabled: false }));
    await world.pass(40);
    expect(home.heard()).toBe('a0 b30');
  });

  test("an escalation follows changes to the rule's steps", async () => {
    const home = await world.furnish();
    const rule = await home.addRule('a', { 60: 'b' });
    await home.fall();
    await home.client.ok('PUT', `/rules/${rule.id}`, home.bodyOf('a', { 90: 'c', 120: 'b' }));
    await world.pass(200);
    expect(home.heard()).toBe('a0 c90 b120');
  });
});
