import { describe, expect, test } from 'vitest';
import type { ProcessDeps } from '#functions/workers/process/context.ts';
import { enqueueChecks, enqueueRound, isUnruled } from '#functions/workers/process/hits.ts';
import { canaryUrl } from '#shared/domain/canary.ts';
import { firstDeliveryId } from '#shared/domain/delivery/snapshot.ts';
import { eventKeyOf } from '#shared/domain/event/fall-key.ts';
import { timeOrderedId } from '#shared/domain/ids.ts';
import { some } from '#test/fixtures/alarm-stubs.ts';
import { customerId, FALL, fallEvent, ruleOf, runHits, sensorId, webhookOf } from '#test/fixtures/hit-stubs.ts';
import { NOW, stubDeps } from '#test/fixtures/stub-deps.ts';

const fall = FALL.toString(36);
const hook = { botId: 31, webhookId: 'w1' };
const message = (accountId: number, publisher: string, name: string) => ({
  id: timeOrderedId(NOW, 0x0101),
  accountId,
  publisher,
  wasSend: false,
  sendTryTimes: [],
  extra: { display_name: name, is_bot: publisher === 'webhook' },
});

describe('firing rules', () => {
  test('a firing rule writes a hit with one message per recipient', async () => {
    const rule = ruleOf(111, { recipients: [hook, { userId: 21, by: 'sms' }], sensorGroupId: 4 });
    const { appended, asked } = await runHits({ rules: [rule], webhooks: [webhookOf('w1', 31)] });
    const { rules: _, requestId: __, ...cause } = fallEvent();
    expect(appended).toEqual([
      [
        customerId,
        { id: 50, createDate: NOW - 9 },
        {
          ruleId: 111,
          ruleSensorGroupId: 4,
          ruleCustomerId: customerId,
          sensorId,
          sensorEventId: 'event-1',
          fall,
          situation: 'fall_detected',
          messages: [message(31, 'webhook', 'Bot'), message(21, 'sms', 'Anna Ash')],
          escalationAt: expect.any(Function),
          cause,
          hitNumber: { series: 5, number: 4 },
        },
        NOW,
      ],
    ]);
    expect(asked).toEqual([[['w1'], [31]]]);
  });

  test('a firing rule links each delivery to its message in the hit', async () => {
    const rule = ruleOf(111, { recipients: [hook, { userId: 21, by: 'sms' }] });
    const { sent } = await runHits({ rules: [rule], webhooks: [webhookOf('w1', 31)] });
    expect(sent).toEqual([
      ['w1', { id: 51, message: 0 }],
      ['Anna Ash', { id: 51, message: 1 }],
    ]);
  });

  test('a firing rule appends the hit to the list, even after a crash', async () => {
    const events = [fallEvent({ rules: [111, 112] }), fallEvent({ uuid: 'event-2', rules: [111] })];
    const { appended, checks } = await runHits({ events, rules: [ruleOf(111), ruleOf(112)], after: null });
    expect(appended.map(([, last, hit]) => [last, (hit as { hitNumber: object }).hitNumber])).toEqual([
      [
        { id: 0, createDate: 0 },
        { series: 5, number: 4 },
      ],
      [
        { id: 51, createDate: NOW + 1 },
        { series: 5, number: 5 },
      ],
      [
        { id: 52, createDate: NOW + 2 },
        { series: 5, number: 6 },
      ],
    ]);
    expect(checks.map(({ hitIds }) => hitIds)).toEqual([[51, 52], [53]]);
  });

  test('a firing rule records whether the event is simulated and which fall it is about', async () => {
    const simulated = await runHits({ events: [fallEvent({}, { isSimulated: true })] });
    expect(simulated.appended[0]?.[2]).toMatchObject({ isSimulated: true });
    const other = await runHits({ events: [fallEvent({}, { subject: undefined })] });
    expect(other.appended[0]?.[2]).not.toHaveProperty('fall');
    expect(other.appended[0]?.[2]).not.toHaveProperty('isSimulated');
    expect(other.appended[0]?.[2]).not.toHaveProperty('nobodyOnDuty');
    expect(other.appended[0]?.[2]).toMatchObject({ ruleSensorGroupId: 0 });
  });

  test('a firing rule schedules the first escalation step', async () => {
    const firstStepAfter = (afterSeconds: number) =>
      runHits({ rules: [ruleOf(111, { escalation: [{ afterSeconds, recipients: [] }] })] });
    const { tasks, escalationAt } = await firstStepAfter(30);
    // The hit was created 1 ms after now.
    expect(tasks).toEqual([[{ type: 'escalate', customerId, hitId: 51, uuid: 'event-1' }, 30.001]]);
    expect(escalationAt(NOW)).toEqual({ round: 0, after: 0, repeats: 0, at: NOW + 30_000 });
    expect((await firstStepAfter(900)).tasks).toEqual([]);
  });

  test('a rule that fires while no one is on duty increments NobodyOnDuty', async () => {
    const rule = ruleOf(111, {
      recipients: [{ onDuty: true, by: 'sms' }],
      escalation: [{ afterSeconds: 600, recipients: [] }],
    });
    const { tasks, appended, measured, deliveries, escalationAt } = await runHits({ rules: [rule] });
    expect(appended[0]?.[2]).toMatchObject({ nobodyOnDuty: true });
    expect(escalationAt(NOW)).toMatchObject({ at: NOW, isHurried: true });
    expect(tasks).toMatchObject([[{ type: 'escalate', hitId: 51 }, 0.001]]);
    expect(measured).toEqual([['NobodyOnDuty']]);
    expect(deliveries).toEqual([]);
    // After a crash, the metric is counted again only if no one is notified.
    const anna = { accountId: 21, publisher: 'sms', extra: { display_name: 'Anna Ash' } };
    const again = await runHits({ rules: [rule], written: { 51: { messages: [anna] } } });
    expect([again.measured, again.sent]).toEqual([[], [['Anna Ash', { id: 51, message: 0 }]]]);
    expect((await runHits({ rules: [rule], written: { 51: { messages: [] } } })).measured).toHaveLength(1);
  });
});

describe('a hit written before a crash', () => {
  const stored = (accountId: number, publisher: string, step?: number) => ({
    accountId,
    publisher,
    extra: { display_name: `name ${accountId}` },
    ...(step !== undefined && { step }),
  });

  test('a hit written before a crash notifies previous and current recipients', async () => {
    const rule = ruleOf(111, {
      recipients: [
        { userId: 22, by: 'email' },
        { userId: 21, by: 'sms' },
      ],
    });
    const messages = [stored(23, 'sms'), stored(21, 'sms', 0), stored(31, 'webhook'), stored(24, 'sms', 1)];
    const { sent } = await runHits({ rules: [rule], written: { 51: { messages } } });
    expect(sent).toEqual([
      // A recipient added to the rule later has no message in the hit.
      ['Ben Birch', null],
      ['name 23', { id: 51, message: 0 }],
      ['Anna Ash', { id: 51, message: 1 }],
    ]);
  });

  test("a hit that was not written before a crash notifies the rule's recipients", async () => {
    const { sent } = await runHits({ written: { 51: null as never } });
    expect(sent).toEqual([['Anna Ash', { id: 51, message: 0 }]]);
  });

  test('a hit whose rule was deleted notifies no one', async () => {
    const { appended, sent, checks, tasks } = await runHits({ rules: [] });
    expect(appended).toEqual([
      [
        customerId,
        { id: 50, createDate: NOW - 9 },
        {
          ruleId: 111,
          ruleSensorGroupId: 0,
          ruleCustomerId: customerId,
          messages: [],
          sensorId,
          sensorEventId: 'event-1',
          fall,
          situation: 'fall_detected',
          hitNumber: { series: 5, number: 4 },
        },
        NOW,
      ],
    ]);
    expect([sent, tasks]).toEqual([[], []]);
    expect(checks).toMatchObject([{ hitIds: [51] }]);
    const noted = fallEvent({}, { situation: null });
    const none = await runHits({
      rules: [],
      events: [noted],
      hooks: { c1: 'full' },
      webhooks: [webhookOf('c1', null)],
    });
    expect([none.appended, none.checks]).toEqual([[], []]);
  });
});

describe('customer webhooks', () => {
  const own = (id: string, more: object = {}) => webhookOf(id, null, more);

  test('customer webhooks get every event, even if no rule fires', async () => {
    const { sent, asked, deliveries } = await runHits({ hooks: { c1: 'full' }, webhooks: [own('c1')] });
    expect(deliveries[0]?.id).toBe(firstDeliveryId({ ...fallEvent(), sensorId }, 0, 'c1', 'full'));
    expect(sent).toEqual([
      ['c1', null],
      ['Anna Ash', { id: 51, message: 0 }],
    ]);
    expect(asked).toEqual([[['c1'], []]]);
    expect(deliveries[0]).toMatchObject({
      customerId,
      format: 'full',
      createDate: NOW,
      snapshot: { webhook: { name: 'hook c1', isCustomerHook: true }, rule: null, event: { text: 'Fall detected' } },
    });
    expect(deliveries[0]?.snapshot).not.toHaveProperty('reader');
    // Without a situation, the action serves as the event text.
    const noted = fallEvent({ rules: [] }, { situation: null, action: 'registered' });
    const notice = await runHits({ events: [noted], hooks: { c1: 'full' }, webhooks: [own('c1')] });
    expect(notice.deliveries[0]?.snapshot.event.text).toBe('registered');
  });

  test('customer webhooks do not get events they caused or filter out', async () => {
    const idsOf = async (webhooks: { id: string }[], happening: object = {}, formats: Record<string, string> = {}) => {
      const hooks = Object.fromEntries(webhooks.map(({ id }) => [id, formats[id] ?? 'full']));
      const events = [fallEvent({ rules: [] }, happening)];
      return (await runHits({ events, hooks, webhooks, rules: [] })).sent.map(([id]) => id);
    };
    expect(await idsOf([own('c1'), own('c2')], { notTo: 'c1' })).toEqual(['c2']);
    expect(await idsOf([own('c1', { situations: ['apnea'] }), own('c2', { sensorGroupId: 4 })])).toEqual(['c2']);
    expect(await idsOf([own('c1'), own('c2')], { code: null }, { c1: 'custom1' })).toEqual(['c2']);
    expect(await idsOf([])).toEqual([]);
  });

  test('a delivery to a deleted customer webhook omits the webhook name', async () => {
    const { deliveries } = await runHits({ events: [fallEvent({ rules: [] })], hooks: { c1: 'full' }, rules: [] });
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]?.snapshot).not.toHaveProperty('webhook');
  });
});

describe('messages about falls', () => {
  const moved = fallEvent({ source: null });
  const raw = webhookOf('w1', 31, { format: 'raw' });
  const rule = ruleOf(111, { recipients: [hook] });

  test("a Raw webhook gets the fall's newest message when a timer causes the event", async () => {
    const { deliveries, asked } = await runHits({
      events: [moved],
      rules: [rule],
      webhooks: [raw, webhookOf('c1', null, { format: 'raw' })],
      hooks: { c1: 'raw' },
      fallMessage: 'message-9',
    });
    expect(asked).toContainEqual([customerId, sensorId, fall]);
    expect(deliveries.map(({ webhookId, snapshot }) => [webhookId, snapshot.event.source])).toEqual([
      ['w1', 'message-9'],
    ]);
    const none = await runHits({ events: [moved], rules: [rule], webhooks: [raw] });
    expect(none.deliveries).toEqual([]);
  });

  test.each([
    ['no webhook uses the Raw format', { webhooks: [webhookOf('w1', 31)] }],
    ['a message caused the event', { events: [fallEvent()] }],
    ['no rule fired', { events: [{ ...moved, rules: [] }] }],
    ['the event is not about a fall', { events: [fallEvent({ source: null }, { subject: undefined })] }],
  ])('the newest message about a fall is not looked up if %s', async (_, more) => {
    const { asked } = await runHits({ events: [moved], rules: [rule], webhooks: [raw], ...more });
    expect(asked).toHaveLength(1);
  });
});

describe('notification checks', () => {
  test('the notification check is due two minutes after the alarm', async () => {
    const rule = ruleOf(111, { recipients: [hook, { userId: 21, by: 'sms' }] });
    const { checks, deliveries } = await runHits({
      rules: [rule],
      webhooks: [webhookOf('w1', 31), webhookOf('c1', null)],
      hooks: { c1: 'full' },
    });
    const [ofEvent, ofWebhook, ofAnna] = deliveries.map(({ id }) => id);
    expect(checks).toEqual([
      {
        type: 'check_alarm',
        customerId,
        sensorId,
        uuid: 'message-1',
        requestId: 'call-1',
        eventUuid: 'event-1',
        situation: 'fall_detected',
        createDate: NOW,
        at: NOW + 120_000,
        hitIds: [51],
        ofEvent: [{ webhookId: 'c1', deliveryId: ofEvent }],
        immediate: [
          { webhookId: 'w1', deliveryId: ofWebhook },
          { webhookId: null, deliveryId: ofAnna },
        ],
        fall,
      },
    ]);
  });

  test('the notification check refers to the event if there was no message', async () => {
    const given = { hooks: { c1: 'full' }, webhooks: [webhookOf('c1', null)], rules: [] };
    const events = [fallEvent({ source: null, requestId: undefined, rules: [] })];
    const [check] = (await runHits({ ...given, events })).checks;
    expect(check).toMatchObject({ uuid: 'event-1', hitIds: [], fall });
    expect(check).not.toHaveProperty('requestId');
    const apnea = fallEvent({ rules: [] }, { situation: 'apnea', subject: undefined });
    expect((await runHits({ ...given, events: [apnea] })).checks).toMatchObject([{ fall: eventKeyOf(900) }]);
    const ruled = fallEvent({}, { situation: 'apnea', subject: undefined });
    expect((await runHits({ events: [ruled] })).checks[0]).not.toHaveProperty('fall');
  });

  test('the notification check covers up to ten deliveries', async () => {
    const recipients = Array.from({ length: 12 }, (_, at) => ({ userId: 100 + at, by: 'sms' }));
    const { checks } = await runHits({ rules: [ruleOf(111, { recipients })] });
    expect(checks[0]?.immediate).toHaveLength(10);
  });

  test.each([
    ['the situation is not urgent', { events: [fallEvent({}, { situation: 'occupied_room' })] }],
    ['no one is to be notified', { events: [fallEvent({ rules: [] })] }],
    [
      'the event is from the canary, which has a separate alarm',
      {
        webhooks: [webhookOf('w1', 31, { url: canaryUrl('https://cloud.example.org') })],
      },
    ],
  ])('the notification check is skipped if %s', async (_, more) => {
    expect((await runHits(more)).checks).toEqual([]);
  });

  test('the notification check is enqueued on time', async () => {
    const { deps, enqueued } = stubDeps<ProcessDeps>({});
    const checks = [some({ at: NOW + 120_000 }), some({ at: NOW })];
    await enqueueChecks(deps, checks);
    expect(enqueued).toEqual([
      [[checks[0]], 120],
      [[checks[1]], 0],
    ]);
  });
});

test('an urgent event counts as uncovered if no rule fired', () => {
  const isIt = (event: object, of = customerId) => isUnruled(of, some(event));
  expect(isIt(fallEvent({ rules: [] }))).toBe(true);
  expect(isIt(fallEvent({ rules: [] }), 0)).toBe(false);
  expect(isIt(fallEvent())).toBe(false);
  expect(isIt(fallEvent({ rules: [] }, { situation: 'occupied_room' }))).toBe(false);
  expect(isIt(fallEvent({ rules: [] }, { isSimulated: true }))).toBe(false);
});

test('a round is enqueued only if a queue can delay it long enough', async () => {
  const { deps, enqueued } = stubDeps<ProcessDeps>({});
  const hit = { customerId, hitId: 1, uuid: 'event-1' };
  await enqueueRound(deps, hit, NOW + 900_001);
  expect(enqueued).toEqual([]);
  await enqueueRound(deps, hit, NOW + 900_000);
  expect(enqueued).toEqual([[[{ type: 'escalate', ...hit }], 900]]);
});
