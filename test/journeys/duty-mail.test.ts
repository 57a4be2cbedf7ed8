import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { createCrash } from '../fixtures/crash.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
const crash = createCrash();
beforeAll(async () => {
  // Noon, so no shift in these tests crosses midnight.
  world = await createPeopleWorld({ ...crash.options, start: Date.parse('2027-01-05T12:00:00Z') });
});
afterAll(() => world.stop());
beforeEach(() => {
  world.sentMessages.length = 0;
});

/** A home with a rule manager, a nurse, and a fall rule that notifies the users on duty by SMS. */
const furnish = async () => {
  const home = await world.furnish();
  const { customerId } = home;
  const address = `nora-${customerId}@example.com`;
  await home.hire('Nora', {}, { permissions: ['manage_rules'], email: address });
  await home.hire('Otto', {}, { email: `otto-${customerId}@example.com` });
  const anna = await home.hire('Anna', { sms: '+491701234567' });
  /**
   * Advances time by two minutes, enough for the service to check for changes, and returns the emails to the manager.
   */
  const mails = async (minutes = 2): Promise<string[]> => {
    world.sentMessages.length = 0;
    for (let minute = 0; minute < minutes; minute++) {
      await world.pass(MINUTE);
      await world.checkChanges();
    }
    return world.sentMessages.filter(({ to }) => to === address).map(({ text }) => text);
  };
  const setRoster = (entries: object[]) => home.client.ok('PUT', `/customers/${customerId}/roster`, entries);
  return { ...home, anna, mails, setRoster };
};
const onDuty = [{ onDuty: true, by: 'sms' }];
const subject = /^Nobody on duty can be notified anymore: /;
const clockAt = (time: number): string => new Date(time).toISOString().slice(11, 16);

test('rule managers get an email each time the last user goes off duty', async () => {
  const home = await furnish();
  await home.onDuty(home.anna.id, world.now() + 10 * MINUTE);
  await home.rule(onDuty, { name: 'Falls at night' });
  expect(await home.mails(8)).toEqual([]);
  const [mail = '', ...more] = await home.mails(4);
  expect(more).toEqual([]);
  expect(mail).toMatch(subject);
  expect(mail).toContain('nobody on duty has been reachable by SMS');
  expect(mail).toContain('- Falls at night');
  expect(await home.mails(90)).toEqual([]);
  await home.anna.client.ok('PUT', '/users/me/duty', { until: world.now() + 10 * MINUTE });
  expect(await home.mails(9)).toEqual([]);
  expect(await home.mails(3)).toHaveLength(1);
  expect(await home.mails(5)).toEqual([]);
});

test('rule managers get exactly one email about a change that leaves no one on duty', async () => {
  const home = await furnish();
  await home.onDuty(home.anna.id);
  await home.rule(onDuty);
  expect(await home.mails()).toEqual([]);
  await home.anna.client.ok('DELETE', '/users/me/duty');
  const [mail = '', ...more] = await home.mails(5);
  expect(more).toEqual([]);
  expect(mail).toMatch(/^Some falls are no longer reported/);
  expect(mail).toContain('nobody on duty can be notified');
});

test('rule managers get an email when a gap between shifts begins', async () => {
  const home = await furnish();
  const ben = await home.hire('Ben', { sms: '+491701234568' });
  const now = world.now();
  const date = new Date(now).toISOString().slice(0, 10);
  const shift = (userId: number, from: number, to: number) => ({
    userId,
    date,
    from: clockAt(now + from * MINUTE),
    to: clockAt(now + to * MINUTE),
  });
  await home.setRoster([shift(home.anna.id, -60, 10), shift(ben.id, 10, 20), shift(ben.id, 30, 40)]);
  await home.rule(onDuty);
  expect(await home.mails(18)).toEqual([]);
  expect(await home.mails(4)).toEqual([expect.stringMatching(subject)]);
  expect(await home.mails(16)).toEqual([]);
  expect(await home.mails(4)).toHaveLength(1);
});

test('only enabled rules for urgent situations need someone on duty', async () => {
  const home = await furnish();
  const urgent = { situation: 'apnea' };
  const email = [{ userId: home.anna.id, by: 'sms' }];
  const now = world.now();
  const schedule = {
    days: [1, 2, 3, 4, 5, 6, 7],
    from: clockAt(now + 10 * MINUTE),
    to: clockAt(now + 3 * HOUR),
    timeZone: 'UTC',
  };
  await home.rule(onDuty, { ...urgent, isEnabled: false });
  await home.rule(onDuty, { situation: 'occupied_room' });
  await home.rule(email, { ...urgent, schedule, escalation: [{ afterSeconds: 60, recipients: onDuty }] });
  expect(await home.mails(8)).toEqual([]);
  expect(await home.mails(4)).toEqual([expect.stringMatching(subject)]);
});

test('rule managers get another email when another channel becomes unreachable', async () => {
  const home = await furnish();
  await home.rule([...onDuty, { onDuty: true, by: 'telegram' }], { situation: 'apnea' });
  await home.prove(home.anna.id, 'telegram', '4711');
  await home.onDuty(home.anna.id);
  expect(await home.mails()).toEqual([]);
  const remove = (by: string) => home.anna.client.ok('DELETE', `/users/me/channels/${by}`);
  await remove('telegram');
  expect(await home.mails()).toEqual([expect.stringContaining('on duty has been reachable by Telegram.')]);
  await remove('sms');
  expect(await home.mails()).toEqual([expect.stringContaining('on duty has been reachable by SMS, Telegram.')]);
});

test('the email about unreachable users is sent even if the process dies before sending it', async () => {
  const home = await furnish();
  await home.onDuty(home.anna.id, world.now() + 5 * MINUTE);
  await home.rule(onDuty);
  expect(await home.mails(4)).toEqual([]);
  crash.at('duty.claimed');
  expect(await home.mails(2)).toEqual([]);
  expect(crash.isOver()).toBe(true);
  expect(await home.mails(3)).toEqual([expect.stringMatching(subject)]);
});

test('a customer is no longer checked once no rule notifies users on duty', async () => {
  const home = await furnish();
  const { dutyChecks } = store(world.table);
  const { id } = await home.rule(onDuty);
  await home.mails();
  expect(await dutyChecks.get(home.customerId)).toMatchObject({ missing: ['sms'], isMailed: true });
  await home.client.ok('DELETE', `/rules/${id}`);
  await home.mails();
  expect(await dutyChecks.get(home.customerId)).toBeNull();
});
