import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { concurrently } from '../fixtures/answers.ts';
import { fallMessage } from '../fixtures/home.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

const DAY = 86_400_000;
let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld({ environment: { QUOTAS: '{"smsPerDay":10,"smsTestsPerDay":1}' } });
});
afterAll(() => world.stop());
beforeEach(() => {
  world.sentMessages.length = 0;
});

/** Creates a home with a nurse, who is notified by SMS. */
const createHome = async () => {
  const home = await world.furnish();
  const { id } = await home.hire('Ben', { sms: '+491701234568' });
  const recipients = [{ userId: id, by: 'sms' }];
  return {
    ...home,
    watchFalls: () => home.rule(recipients, { title: 'Fall' }),
    watchConfirmations: () =>
      home.rule(recipients, { title: 'Confirmed', situation: 'fall_confirmed', rateLimitSeconds: 0 }),
    fall: async (times: number) => {
      for (let fall = 0; fall < times; fall++) await home.fall();
    },
    confirm: async (times: number) => {
      for (let at = 0; at < times; at++) {
        await world.pass(60_000);
        await home.report(fallMessage('fall_confirmed', world.now()));
      }
    },
    states: async () => {
      const sent = await home.sent();
      return sent.map(({ state, reason }) => reason ?? state).toReversed();
    },
  };
};
const sms = (start: string) => world.sentMessages.filter(({ by, text }) => by === 'sms' && text.startsWith(start));

describe('the SMS quota', () => {
  test('the SMS quota reserves the second half for falls', async () => {
    const home = await createHome();
    await home.watchConfirmations();
    await home.confirm(7);
    expect(await home.states()).toEqual([...Array(5).fill('delivered'), 'limit_reached', 'limit_reached']);
    await home.watchFalls();
    await home.fall(6);
    expect((await home.states()).slice(7)).toEqual([...Array(5).fill('delivered'), 'limit_reached']);
    expect([sms('Confirmed').length, sms('Fall').length]).toEqual([5, 5]);
    await world.pass(DAY);
    world.sentMessages.length = 0;
    await home.confirm(1);
    expect(sms('Confirmed')).toHaveLength(1);
  });

  test('falls may use the whole SMS quota if nothing else is sent', async () => {
    const home = await createHome();
    await home.watchFalls();
    await home.fall(11);
    expect(await home.states()).toEqual([...Array(10).fill('delivered'), 'limit_reached']);
  });

  test('the SMS quota is exact even when SMS are sent concurrently', async () => {
    const { limits } = store(world.table);
    const counts = await concurrently(30, (at) =>
      limits.countWithin('sms:race', at % 2 === 0 ? 10 : 5, 60, world.now()),
    );
    const counted = counts.filter((count) => count !== null);
    expect(counted.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('rule managers get an email once a day when 80% of the SMS quota is used', async () => {
    const home = await createHome();
    const boss = { email: 'boss@example.com', permissions: ['manage_rules'], locale: 'de' };
    await home.hire('Boss', {}, boss);
    await home.hire('Nurse', {}, { email: 'nurse@example.com', permissions: [] });
    const mails = () => world.sentMessages.filter(({ by }) => by === 'email');
    await home.watchFalls();
    await home.fall(7);
    expect(mails()).toEqual([]);
    await home.fall(3);
    expect(mails()).toMatchObject([{ to: 'boss@example.com', text: expect.stringMatching(/^80 % .*\b10 SMS\b/s) }]);
    await world.pass(DAY);
    await home.fall(8);
    expect(mails()).toHaveLength(2);
  });

  test('rule tests have a separate SMS quota', async () => {
    const home = await createHome();
    const { id } = await home.watchFalls();
    const tryRule = async () => {
      await home.client.ok('POST', `/rules/${id}/test`);
      await world.idle();
    };
    await tryRule();
    await tryRule();
    expect(await home.states()).toEqual(['delivered', 'limit_reached']);
    await home.fall(10);
    expect((await home.states()).slice(2)).toEqual(Array(10).fill('delivered'));
  });
});
