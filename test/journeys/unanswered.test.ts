import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { createCrash } from '../fixtures/crash.ts';
import { fallMessage } from '../fixtures/home.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
const crash = createCrash();
beforeAll(async () => {
  world = await createPeopleWorld(crash.options);
});
afterAll(() => world.stop());
beforeEach(() => {
  world.sentMessages.length = 0;
});

type Home = Awaited<ReturnType<typeof world.furnish>>;
const mailsOf = ({ customerId }: Home) =>
  world.sentMessages.filter(({ by, to }) => by === 'email' && to === `nora-${customerId}@example.com`);
const smsTo = (number: string) => world.sentMessages.filter(({ by, to }) => by === 'sms' && to === number);
/** Advances time in small steps, so each task runs when it is due. */
const pass = async (ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= 5 * SECOND) await world.pass(Math.min(left, 5 * SECOND));
};
const unanswered = (): number => world.valuesOf('AlarmsUnanswered').length;

/** A home with a manager, a nurse whom the rule notifies by SMS, and an emergency contact. */
const furnish = async (plan: (nurse: { userId: number; by: 'sms' }) => object) => {
  const home = await world.furnish();
  await home.hire('Nora', { email: `nora-${home.customerId}@example.com` }, { permissions: ['manage_rules'] });
  const nurse = await home.hire('Ben', { sms: `+49170${home.customerId}` });
  const relative = await home.hire('Anna', { sms: `+49171${home.customerId}` });
  await home.client.ok('PUT', `/customers/${home.customerId}/emergency-contacts`, [{ userId: relative.id, by: 'sms' }]);
  const to = { userId: nurse.id, by: 'sms' as const };
  const rule = await home.rule([to], plan(to));
  const nurseSms = () => smsTo(`+49170${home.customerId}`).length;
  const relativeSms = () => smsTo(`+49171${home.customerId}`).map(({ text }) => text);
  return { ...home, ruleId: rule.id, nurseSms, relativeSms };
};
const withStep = (nurse: object) => ({ escalation: [{ afterSeconds: 90, recipients: [nurse] }] });

test('reports an alarm only once if no one acknowledges it after the last step', async () => {
  const home = await furnish(withStep);
  const receiver = await startReceiver();
  const hook = { botId: null, isCustomerHook: true, customerId: home.customerId, format: 'full', authMethod: 'none' };
  const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', { ...hook, name: 'log', url: receiver.url });
  const before = unanswered();
  await home.fall();
  await pass(165 * SECOND);
  expect([unanswered(), mailsOf(home), home.relativeSms()]).toEqual([before, [], []]);
  expect((await home.hits())[0]).toMatchObject({ unansweredDate: null, notifiedDate: expect.any(Number) });

  await pass(20 * SECOND);
  const [hit] = await home.hits();
  expect(hit?.unansweredDate).toBeGreaterThanOrEqual((hit?.createDate ?? 0) + 180 * SECOND);
  expect(unanswered()).toBe(before + 1);
  const [mail, ...more] = mailsOf(home);
  expect(more).toEqual([]);
  expect(mail?.text).toMatch(/^Nobody has responded: Fall detected, Sensor/);
  expect(mail?.text).toContain('All steps and repeats of the rule were sent');
  expect(home.relativeSms()).toEqual([
    expect.stringMatching(/^Fall detected: Sensor \w+\nNobody has responded to this alarm\./),
  ]);
  const events = receiver.received.map(({ body }) => JSON.parse(body.toString()).event);
  expect(events).toContainEqual(expect.objectContaining({ type: 'alarm', action: 'unanswered' }));

  await world.pass(3 * HOUR);
  expect([mailsOf(home).length, home.relativeSms().length, unanswered()]).toEqual([1, 1, before + 1]);
  const watch = await home.client.ok<{ gaps: { kind: string }[] }>('GET', `/customers/${home.customerId}/watch`);
  expect(watch.gaps.map(({ kind }) => kind)).not.toContain('unnotified');
  await home.client.ok('DELETE', `/webhooks/${id}`);
  await receiver.stop();
});

test('an alarm counts as unanswered only after the last repeat goes unacknowledged', async () => {
  const home = await furnish(() => ({ repeatSeconds: 60 }));
  const before = unanswered();
  await home.fall();
  await pass(20 * MINUTE + 20 * SECOND);
  expect([home.nurseSms(), unanswered()]).toEqual([21, before]);
  await pass(50 * SECOND);
  expect([home.nurseSms(), unanswered()]).toEqual([21, before + 1]);
});

test('an alarm does not count as unanswered if the next step is removed from the rule', async () => {
  const home = await furnish((nurse) => ({
    escalation: [
      { afterSeconds: 60, recipients: [nurse] },
      { afterSeconds: 300, recipients: [nurse] },
    ],
  }));
  const before = unanswered();
  await home.fall();
  await pass(100 * SECOND);
  const rule = await home.client.ok<object>('GET', `/rules/${home.ruleId}`);
  await home.client.ok('PUT', `/rules/${home.ruleId}`, {
    ...rule,
    ...withStep({ userId: 0, by: 'sms' }),
    escalation: [],
  });
  await world.pass(HOUR);
  expect([home.nurseSms(), unanswered()]).toEqual([2, before]);
});

describe('an unanswered alarm', () => {
  test.each([
    ['the rule has neither steps nor repetitions', () => ({}), async () => {}],
    [
      'someone has acknowledged the alarm',
      withStep,
      async (home: Home) => {
        await pass(100 * SECOND);
        const [hit] = await home.hits();
        await home.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${hit?.id}/acknowledgement`, {});
      },
    ],
    [
      'the fall is over, and the rule ends with it',
      (nurse: object) => ({ ...withStep(nurse), untilAcknowledged: false }),
      async (home: Home, start: number) => {
        await pass(100 * SECOND);
        await home.report(fallMessage('finished', start));
      },
    ],
  ] as const)('an alarm does not count as unanswered if %s', async (_, plan, act) => {
    const home = await furnish(plan as never);
    const before = unanswered();
    const start = world.now();
    await home.report(fallMessage('calling', start));
    await act(home, start);
    await pass(5 * MINUTE);
    expect([unanswered(), mailsOf(home), (await home.hits())[0]?.unansweredDate]).toEqual([before, [], null]);
  });
});

test('an unanswered alarm notifies managers even if the process dies after recording it', async () => {
  const home = await furnish(withStep);
  await home.fall();
  crash.at('unanswered.recorded');
  await pass(190 * SECOND);
  await pass(2 * MINUTE);
  expect(crash.isOver()).toBe(true);
  expect([mailsOf(home).length, home.relativeSms().length]).toEqual([1, 1]);
  expect((await home.hits())[0]?.unansweredDate).toEqual(expect.any(Number));
});

test('an acknowledgement stops further emails about an unanswered alarm', async () => {
  const home = await furnish(withStep);
  await home.fall();
  await pass(190 * SECOND);
  const [hit] = await home.hits();
  await home.client.ok('PUT', `/customers/${home.customerId}/rule-hits/${hit?.id}/acknowledgement`, {});
  await world.pass(HOUR);
  expect(mailsOf(home)).toHaveLength(1);
});
