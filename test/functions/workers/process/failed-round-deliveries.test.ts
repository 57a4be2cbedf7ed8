import { describe, expect, test } from 'vitest';
import { hurryFailedRound } from '#functions/workers/process/failed-round.ts';
import { firstDeliveryId, idInRound } from '#shared/domain/delivery/snapshot.ts';
import type { Escalate } from '#shared/queue/task.ts';
import { alarmStubs, customerId, MADE, sensorId } from '#test/fixtures/alarm-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const ruleId = 111;
const at = MADE + 30_000;
const cause = { uuid: 'event-1', source: 'message-1', receiveDate: MADE, happening: { code: null } };
const event = { ...cause, sensorId };
const webhook = { id: 'webhook-1', botId: 31, format: 'full' };
const anna = { userId: 21, by: 'sms' };
const ben = { userId: 22, by: 'email' };
const hook = { botId: 31, webhookId: 'webhook-1' };
const rule = {
  customerId,
  recipients: [anna, hook],
  escalation: [
    { afterSeconds: 30, recipients: [ben, hook] },
    { afterSeconds: 300, recipients: [anna] },
  ],
  repeatSeconds: null,
};
const message = (accountId: number, publisher: string, step?: number) => ({
  accountId,
  publisher,
  extra: { display_name: 'a name' },
  ...(step !== undefined && { step }),
});
const messages = [message(21, 'sms'), message(31, 'webhook'), message(22, 'email', 1), message(31, 'webhook', 1)];
const first = { round: 0, after: 0, repeats: 0, at: NOW + 60_000 };
const second = { round: 1, after: 30, repeats: 0, at: NOW + 60_000 };
const hitOf = (escalation: object, more: object = {}) => ({
  id: 11,
  ruleId,
  sensorId,
  createDate: MADE,
  cause,
  messages,
  escalation,
  ...more,
});
const firstId = (receiver: string) => firstDeliveryId(event, ruleId, receiver);
const secondId = (receiver: string) => idInRound({ uuid: cause.uuid, sensorId, ruleId }, { round: 1, at }, receiver);
const failed = (id: string, more: object = {}) => ({ [id]: { id, state: 'failed', updateDate: NOW, ...more } });

/** Handles a delivery failure, with these items in the store. Returns whether the next step is due at once. */
const run = async (
  hit: object | null,
  deliveries: Record<string, unknown>,
  { id, webhooks = [webhook], rules = { [ruleId]: rule } }: { id: string; webhooks?: object[]; rules?: object },
) => {
  const stubs = alarmStubs({ hits: hit ? { 11: hit } : {}, deliveries, rules: rules as Record<number, unknown> });
  const asked: unknown[][] = [];
  const store = {
    ...stubs.deps.store,
    recipients: {
      webhooks: async (...args: unknown[]) => {
        asked.push(args);
        return { webhooks: new Map(webhooks.map((one) => [(one as { id: string }).id, one])) };
      },
    },
  };
  const task: Escalate = { type: 'escalate', customerId, hitId: 11, failed: { webhookId: null, deliveryId: id } };
  await hurryFailedRound({ ...stubs.deps, store } as never, task, { webhookId: null, deliveryId: id });
  return { ...stubs, asked, task, isHurried: stubs.scheduled.length > 0 };
};

describe('first rounds', () => {
  const id = firstId('21 sms');
  const all = { ...failed(id), ...failed(firstId('webhook-1')) };

  test('the next step runs at once if all first deliveries have failed', async () => {
    const { isHurried, scheduled, asked } = await run(hitOf(first), all, { id });
    expect(isHurried).toBe(true);
    expect(scheduled[0]).toMatchObject([customerId, { id: 11 }, { at: NOW, isHurried: true }, NOW]);
    expect(asked).toEqual([[customerId, new Set(['webhook-1']), new Set()]]);
  });

  test.each([
    ['a delivery to a webhook is pending', { ...all, [firstId('webhook-1')]: { state: 'pending' } }],
    ['a delivery to a person succeeded', { ...all, [id]: { state: 'delivered' } }],
    ['a delivery to a webhook is still to be written', failed(id)],
  ])('the next step does not run at once if %s', async (_, deliveries) => {
    const { isHurried, enqueued } = await run(hitOf(first), deliveries, { id: firstId('webhook-1') });
    expect(isHurried).toBe(false);
    expect(enqueued).toEqual([]);
  });

  test('the next step does not run at once unless all deliveries to people have been written', async () => {
    expect((await run(hitOf(first), failed(firstId('webhook-1')), { id: firstId('webhook-1') })).isHurried).toBe(false);
  });

  test.each([
    ['was deleted', []],
    ['belongs to another bot', [{ ...webhook, botId: 32 }]],
    ['has a format that has no payload for the event', [{ ...webhook, format: 'custom1' }]],
  ])('the first round does not expect a delivery to a webhook that %s', async (_, webhooks) => {
    expect((await run(hitOf(first), failed(id), { id, webhooks })).isHurried).toBe(true);
  });

  test("the first round finds a Raw webhook's delivery under a different id", async () => {
    const raw = { ...webhook, format: 'raw' };
    const rawId = firstDeliveryId(event, ruleId, 'webhook-1', 'raw');
    expect(rawId).not.toBe(firstId('webhook-1'));
    const found = { ...failed(id), ...failed(rawId) };
    expect((await run(hitOf(first), found, { id: rawId, webhooks: [raw] })).isHurried).toBe(true);
    expect((await run(hitOf(first), all, { id, webhooks: [raw] })).isHurried).toBe(false);
  });
});

describe('later rounds', () => {
  const id = secondId('22 email');
  const all = { ...failed(id), ...failed(secondId('webhook-1')) };

  test("the next step runs at once if all of a later round's deliveries have failed", async () => {
    expect((await run(hitOf(second), all, { id })).isHurried).toBe(true);
    expect((await run(hitOf(second), failed(id), { id })).isHurried).toBe(false);
  });

  test('a failed delivery from an earlier round does not affect a later round', async () => {
    const earlier = firstId('21 sms');
    expect((await run(hitOf(second), { ...all, ...failed(earlier) }, { id: earlier })).isHurried).toBe(false);
    const [step, last] = rule.escalation;
    const deleted = { ...rule, escalation: [{ ...step, recipients: [hook] }, last] };
    const given = { webhooks: [], rules: { [ruleId]: deleted } };
    const alone = hitOf(second, { messages: [message(21, 'sms')] });
    expect((await run(alone, failed(earlier), { id: earlier, ...given })).isHurried).toBe(false);
  });

  test("the next step runs at once if a round's only delivery has failed", async () => {
    const [step, last] = rule.escalation;
    const single = { ...rule, escalation: [{ ...step, recipients: [ben] }, last] };
    expect((await run(hitOf(second), failed(id), { id, rules: { [ruleId]: single } })).isHurried).toBe(true);
    const without = { ...rule, escalation: [last] };
    const people = { ...failed(id), ...failed(secondId('21 sms')) };
    expect((await run(hitOf(second), people, { id, rules: { [ruleId]: without } })).isHurried).toBe(false);
  });
});

describe('failed rounds that do not bring the next step forward', () => {
  const id = firstId('21 sms');
  const all = { ...failed(id), ...failed(firstId('webhook-1')) };
  test.each([
    ['the hit is gone', null],
    ['the escalation has ended', hitOf(first, { escalation: undefined })],
    ['the event is gone', hitOf(first, { cause: undefined })],
    ['the hit was acknowledged', hitOf(first, { acknowledgement: { name: 'Anna' } })],
    ['the step was already brought forward', hitOf({ ...first, isHurried: true })],
  ])('the next step stays unchanged if %s', async (_, hit) => {
    const { isHurried, enqueued, asked } = await run(hit, all, { id });
    expect([isHurried, enqueued, asked]).toEqual([false, [], []]);
  });

  test('the next step stays unchanged if the delivery or the rule is gone', async () => {
    expect((await run(hitOf(first), {}, { id })).isHurried).toBe(false);
    expect((await run(hitOf(first), { ...all, [id]: { id, state: 'pending' } }, { id })).asked).toEqual([]);
    expect((await run(hitOf(first), all, { id, rules: {} })).isHurried).toBe(false);
  });

  test('an unfinished round is checked again every two seconds for a minute', async () => {
    const open = hitOf({ ...first, open: 'step' });
    const soon = await run(open, { ...all, ...failed(id, { updateDate: NOW - 59_999 }) }, { id });
    expect(soon.enqueued).toEqual([[[soon.task], 2]]);
    const late = await run(open, { ...all, ...failed(id, { updateDate: NOW - 60_000 }) }, { id });
    for (const { isHurried } of [soon, late]) expect(isHurried).toBe(false);
    expect(late.enqueued).toEqual([]);
  });
});
