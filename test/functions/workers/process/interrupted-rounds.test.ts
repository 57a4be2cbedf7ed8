import { describe, expect, test } from 'vitest';
import { idInRound } from '#shared/domain/delivery/snapshot.ts';
import { customerId, sensorId, webhookOf } from '#test/fixtures/hit-stubs.ts';
import { anna, ben, cause, HOUR, hitOf, hook, message, rule, runRound as run } from '#test/fixtures/round-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('interrupted rounds', () => {
  const open = { round: 1, after: 30, repeats: 0, at: NOW - 5, open: 'step', to: ['w1', '22 email'] };
  const messages = [message(21, 'sms', 0), message(31, 'webhook', 1), message(22, 'email', 1, 'Ben')];
  const opened = (more: object = {}) => hitOf({ messages, escalation: open, ...more });
  const idOf = (receiver: string) =>
    idInRound({ uuid: 'event-1', sensorId, ruleId: 111 }, { round: 1, at: NOW - 5 }, receiver);

  test('an interrupted round is sent again with the same ids', async () => {
    const { names, created, to } = await run({ hits: [opened()] });
    expect(names()).toEqual(['hit', 'rule', 'sensor', 'create', 'create', 'schedule']);
    expect(created.map(({ id }) => id)).toEqual([idOf('w1'), idOf('22 email')]);
    expect(to.map(([, hit]) => hit)).toEqual([
      { id: 11, message: 1 },
      { id: 11, message: 2 },
    ]);
  });

  test("an interrupted round also notifies the rule's new recipients", async () => {
    const changed = { ...rule, escalation: [{ afterSeconds: 30, recipients: [ben, hook, anna] }] };
    const { named, to } = await run({ hits: [opened()], of: changed });
    expect(named('open')).toMatchObject([
      [
        customerId,
        {},
        { escalation: { ...open, to: ['w1', '22 email', '21 sms'] }, messages: [{ accountId: 21, step: 1 }] },
        NOW,
      ],
    ]);
    expect(to.map(([name]) => name)).toEqual(['w1', 'Ben Birch', 'Anna Ash']);
  });

  test('an interrupted round notifies recipients who have been removed from the rule', async () => {
    const without = { ...rule, escalation: [rule.escalation[1]] };
    const { to, asked } = await run({ hits: [opened()], of: without });
    expect(asked).toEqual([[['w1'], []]]);
    expect(to).toEqual([
      ['Ben', { id: 11, message: 2 }],
      ['w1', { id: 11, message: 1 }],
    ]);
    const ofAnother = await run({ hits: [opened()], of: without, webhooks: [webhookOf('w1', 32)] });
    expect(ofAnother.to.map(([name]) => name)).toEqual(['Ben']);
  });

  test('an interrupted round is canceled once the alarm is acknowledged', async () => {
    const pending = { [idOf('w1')]: { id: idOf('w1'), state: 'pending' }, [idOf('22 email')]: { state: 'delivered' } };
    const acknowledged = opened({ acknowledgement: { name: 'Anna' } });
    const changed = { ...rule, escalation: [{ afterSeconds: 30, recipients: [ben, hook, anna] }] };
    const { created, named, enqueued } = await run({ hits: [acknowledged], deliveries: pending, of: changed });
    expect(created).toEqual([]);
    expect(named('open')).toEqual([]);
    expect(named('end')).toEqual([[{ id: idOf('w1'), state: 'pending' }, 'canceled', NOW]]);
    expect(enqueued.flatMap(([tasks]) => tasks.filter(({ type }) => type === 'deliver'))).toEqual([]);
    expect(named('schedule')).toHaveLength(1);
  });

  test('an interrupted round is canceled if the rule is gone', async () => {
    const pending = { [idOf('w1')]: { id: idOf('w1'), state: 'pending' } };
    const { named } = await run({ hits: [opened()], deliveries: pending, of: null });
    expect(named('end')).toEqual([[{ id: idOf('w1'), state: 'pending' }, 'canceled', NOW]]);
    expect(named('schedule')).toEqual([[customerId, expect.anything(), null, NOW]]);
    expect((await run({ of: null })).named('end')).toEqual([]);
  });

  test('an interrupted round reschedules the next step after the clock has been set back', async () => {
    const ahead = opened({ createDate: NOW + HOUR, escalation: { ...open, at: NOW + HOUR } });
    const { named } = await run({ hits: [ahead] });
    expect(named('schedule')).toMatchObject([[customerId, {}, { from: NOW - 30_000, at: NOW + 60_000 }, NOW]]);
  });
});

describe('former recipients of an interrupted round', () => {
  const openFor = (to: string[], messages: object[], more: object = {}, of: object = {}) =>
    hitOf({
      messages,
      escalation: { round: 1, after: 30, repeats: 0, at: NOW - 5, open: 'step', to, ...more },
      ...of,
    });
  const without = { ...rule, escalation: [rule.escalation[1]] };

  test('an interrupted round notifies former recipients that belong to several bots', async () => {
    const hit = openFor(['w1', 'w2'], [message(31, 'webhook', 1), message(32, 'webhook', 1)]);
    const webhooks = [webhookOf('w1', 31), webhookOf('w2', 32)];
    const { to } = await run({ hits: [hit], of: without, webhooks });
    expect(to).toEqual([
      ['w2', { id: 11, message: 1 }],
      ['w1', { id: 11, message: 0 }],
    ]);
  });

  test("an interrupted round skips a former recipient's webhook if its format has no payload", async () => {
    const timed = openFor(['w1'], [message(31, 'webhook', 1)], {}, { cause: { ...cause, source: null } });
    expect((await run({ hits: [timed], of: without, webhooks: [webhookOf('w1', 31, { format: 'raw' })] })).to).toEqual(
      [],
    );
  });

  test("a former recipient's delivery is linked to the last message of the step", async () => {
    const messages = [message(21, 'sms', 0), message(21, 'sms', 1)];
    const other = { ...without, recipients: [ben], escalation: [] };
    const step = await run({ hits: [openFor(['21 sms'], messages)], of: other });
    expect(step.to.at(-1)?.[1]).toEqual({ id: 11, message: 1 });
    const repeat = await run({ hits: [openFor(['21 sms', '22 email'], messages, { open: 'repeat' })], of: other });
    expect(repeat.to.find(([name]) => name === 'name 21')?.[1]).toEqual({ id: 11, message: 0 });
  });

  test('a recipient moved to another step keeps the message from the interrupted round', async () => {
    const moved = openFor(['22 email', 'w1'], [message(22, 'email', 2), message(31, 'webhook', 1)]);
    const { to } = await run({ hits: [moved] });
    expect(to.find(([name]) => name === 'Ben Birch' || name === 'name 22')?.[1]).toEqual({ id: 11, message: 0 });
  });

  test('an interrupted round cancels a pending delivery to a deleted webhook', async () => {
    const id = idInRound({ uuid: 'event-1', sensorId, ruleId: 111 }, { round: 1, at: NOW - 5 }, 'w1');
    const hit = openFor(['w1', '22 email'], [message(31, 'webhook', 1), message(22, 'email', 1)]);
    const { named, to } = await run({ hits: [hit], webhooks: [], deliveries: { [id]: { id, state: 'pending' } } });
    expect(to).toHaveLength(1);
    expect(named('end')).toEqual([[{ id, state: 'pending' }, 'canceled', NOW]]);
  });
});

describe('slow rounds', () => {
  test('a slow round is not sent if the alarm has been acknowledged', async () => {
    const acknowledged = hitOf({ acknowledgement: { name: 'Anna' } });
    const late = await run({ hits: [hitOf(), acknowledged], slow: 251 });
    expect(late.named('hit')).toHaveLength(2);
    expect(late.enqueued.flatMap(([tasks]) => tasks).filter(({ type }) => type === 'deliver')).toEqual([]);
    expect(late.measured).toEqual([]);
    const prompt = await run({ hits: [hitOf(), acknowledged], slow: 250 });
    expect(prompt.named('hit')).toHaveLength(1);
    expect(prompt.enqueued.flatMap(([tasks]) => tasks).filter(({ type }) => type === 'deliver')).toHaveLength(2);
  });

  test('a slow round is sent if the alarm has not been acknowledged', async () => {
    for (const second of [hitOf(), null]) {
      const { enqueued } = await run({ hits: [hitOf(), second], slow: 300 });
      expect(enqueued.flatMap(([tasks]) => tasks).filter(({ type }) => type === 'deliver')).toHaveLength(2);
    }
  });
});
