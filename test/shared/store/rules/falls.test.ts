import { describe, expect, test } from 'vitest';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { answerKey } from '#shared/store/rules/fall-answer.ts';
import {
  againKey,
  anna,
  ben,
  fallKey,
  fallOf,
  HOME,
  hitWorld,
  otherKey,
  SENSOR,
} from '#test/fixtures/answered-hits.ts';
import { interference, memoryStore } from '#test/fixtures/memory-store.ts';
import { now, some, uuid } from '#test/fixtures/store-items.ts';

const late = now + 30_000;
const fall = fallOf();
const again = fallOf(againKey);

describe('acknowledging a fall', () => {
  test("the first acknowledgement of a fall is kept and creates one notice with the person's name", async () => {
    const { its, notice } = hitWorld();
    const first = await its.falls.acknowledge(fall, anna(late));
    expect(first.answer).toEqual({ acknowledgement: anna(late) });
    expect(first.notice).toMatchObject({ customerId: HOME, sensorId: SENSOR, receiveDate: late });
    expect(await notice(first.notice)).toMatchObject({
      notice: 'acknowledged',
      fall: fallKey,
      acknowledgement: { ruleHitId: null, ...anna(late) },
    });
    const second = await its.falls.acknowledge(fall, ben(late + 1));
    expect(second).toMatchObject({ answer: { acknowledgement: anna(late) }, notice: null });
    expect(await its.fallAnswers.get(fall)).toEqual({ acknowledgement: anna(late) });
    expect(await its.fallAnswers.get(fallOf(otherKey))).toEqual({});
  });

  test('only one of two simultaneous acknowledgements is kept', async () => {
    const { before, once } = interference();
    const { its } = hitWorld(before);
    once('TransactWriteCommand', () => its.falls.acknowledge(fall, ben(late)));
    const made = await its.falls.acknowledge(fall, anna(late));
    expect(made).toMatchObject({ answer: { acknowledgement: ben(late) }, notice: null });
  });

  test('changing an acknowledgement note creates a notice about the changed fall', async () => {
    const { its, notice } = hitWorld();
    await its.falls.acknowledge(fall, anna(late, { note: 'On my way' }));
    const changed = await its.falls.acknowledge(fall, anna(late + 5, { note: 'Here' }));
    expect(changed.answer).toEqual({ acknowledgement: anna(late, { note: 'Here' }) });
    expect(await notice(changed.notice)).toMatchObject({
      notice: 'fall_changed',
      fall: fallKey,
      receiveDate: late + 5,
    });
    expect((await its.falls.acknowledge(fall, anna(late + 6, { note: 'Here' }))).notice).toBeNull();
  });

  test('the response to a fall outlives the hits and events, even after another alarm', async () => {
    const { its, table } = hitWorld();
    const daysKept = async () => {
      const { ttl = 0 } = (await table.get<{ ttl: number }>(answerKey(fall))) ?? {};
      return (ttl * 1_000 - EVENT_RETENTION - now) / 86_400_000;
    };
    await its.falls.acknowledge(fall, anna(late));
    expect(await daysKept()).toBe(2);
    await its.fallAnswers.recordAlarm(again);
    expect(await daysKept()).toBe(2 + 60_000 / 86_400_000);
    await its.falls.acknowledge(fall, ben(late + 60_000));
    expect(await daysKept()).toBe(2 + 60_000 / 86_400_000);
  });
});

describe('repeated fall alarms', () => {
  test('a second alarm for a fall does not inherit the acknowledgement', async () => {
    const { its } = hitWorld();
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.recordAlarm(again);
    expect(await its.fallAnswers.get(again)).toEqual({});
    expect(await its.fallAnswers.get(fall)).toEqual({ acknowledgement: anna(late) });
    const made = await its.falls.acknowledge(again, ben(now + 70_000));
    expect(made).toMatchObject({
      answer: { acknowledgement: ben(now + 70_000) },
      notice: { receiveDate: now + 70_000 },
    });
    expect(await its.fallAnswers.get(again)).toEqual({ acknowledgement: ben(now + 70_000) });
  });

  test('recording the same or an earlier alarm keeps a later acknowledgement', async () => {
    const { its } = hitWorld();
    await its.fallAnswers.recordAlarm(again);
    await its.falls.acknowledge(again, anna(now + 70_000));
    await its.fallAnswers.recordAlarm(again);
    await its.fallAnswers.recordAlarm(fall);
    expect(await its.fallAnswers.get(again)).toEqual({ acknowledgement: anna(now + 70_000) });
    await its.fallAnswers.recordAlarm(fallOf(`${(now + 120_000).toString(36)}-7-${now.toString(36)}`));
    expect(await its.fallAnswers.get(again)).toEqual({ acknowledgement: anna(now + 70_000) });
  });

  test('an acknowledgement applies only to the alarms it was made for', async () => {
    const { its } = hitWorld();
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.recordAlarm(again);
    const third = fallOf(`${(now + 120_000).toString(36)}-7-${now.toString(36)}`);
    await its.fallAnswers.recordAlarm(third);
    expect([await its.fallAnswers.get(again), await its.fallAnswers.get(third)]).toEqual([{}, {}]);
    expect(await its.fallAnswers.get(fall)).toEqual({ acknowledgement: anna(late) });
  });

  test('a closed fall stays acknowledged if it raises another alarm', async () => {
    const { its } = hitWorld();
    await its.falls.close(fall, { outcome: 'helped' }, anna(late));
    await its.fallAnswers.recordAlarm(again);
    expect(await its.fallAnswers.get(again)).toMatchObject({ acknowledgement: anna(late), closure: anna(late) });
  });

  test('an alarm recorded during an acknowledgement stays unacknowledged', async () => {
    const { before, once } = interference();
    const { its } = hitWorld(before);
    once('UpdateCommand', () => its.falls.acknowledge(fall, anna(late)));
    await its.fallAnswers.recordAlarm(again);
    expect(await its.fallAnswers.get(again)).toEqual({});
  });
});

describe('closing a fall', () => {
  test('closing a fall acknowledges it if no one has, and creates an acknowledgement notice', async () => {
    const { its, notice } = hitWorld();
    const closed = await its.falls.close(fall, { outcome: 'helped', note: 'Unhurt' }, anna(late));
    const closure = anna(late, { outcome: 'helped', note: 'Unhurt' });
    expect(closed.answer).toEqual({ acknowledgement: anna(late), closure });
    expect(await notice(closed.notice)).toMatchObject({ notice: 'acknowledged', fall: fallKey });
    expect(await its.fallAnswers.get(fall)).toEqual({ acknowledgement: anna(late), closure });
  });

  test('closing a fall does not change who acknowledged it', async () => {
    const { its, notice } = hitWorld();
    await its.falls.acknowledge(fall, anna(late));
    const closed = await its.falls.close(fall, { outcome: 'got_up' }, ben(late + 1));
    const answer = { acknowledgement: anna(late), closure: ben(late + 1, { outcome: 'got_up' }) };
    expect(closed.answer).toEqual(answer);
    expect(await notice(closed.notice)).toMatchObject({ notice: 'fall_changed', receiveDate: late + 1 });
    expect(await its.fallAnswers.get(fall)).toEqual(answer);
  });

  test('closing a fall again changes the outcome but not the author', async () => {
    const { its } = hitWorld();
    await its.falls.close(fall, { outcome: 'got_up' }, anna(late));
    const changed = await its.falls.close(fall, { outcome: 'false_alarm' }, ben(late + 1));
    const answer = { acknowledgement: anna(late), closure: anna(late, { outcome: 'false_alarm' }) };
    expect(changed).toMatchObject({ answer, notice: { receiveDate: late + 1 } });
    expect(await its.falls.close(fall, { outcome: 'false_alarm' }, ben(late + 2))).toMatchObject({
      answer,
      notice: null,
    });
  });

  test('closing a fall acknowledges a newer alarm for that fall', async () => {
    const { its } = hitWorld();
    await its.falls.acknowledge(fall, anna(late));
    await its.fallAnswers.recordAlarm(again);
    await its.falls.close(again, { outcome: 'helped' }, ben(now + 70_000));
    const { acknowledgement, closure } = await its.fallAnswers.get(again);
    expect([acknowledgement, closure]).toMatchObject([ben(now + 70_000), { outcome: 'helped' }]);
  });

  test('closing a fall keeps a concurrent acknowledgement', async () => {
    const { before, once } = interference();
    const { its } = hitWorld(before);
    once('TransactWriteCommand', () => its.falls.acknowledge(fall, ben(late)));
    const { answer } = await its.falls.close(fall, { outcome: 'helped' }, anna(late + 1));
    expect(answer).toMatchObject({ acknowledgement: ben(late), closure: anna(late + 1) });
  });
});

test('a closed fall stays closed if the acknowledgement note changes', async () => {
  const { its } = hitWorld();
  await its.falls.acknowledge(fall, anna(late));
  await its.falls.close(fall, { outcome: 'helped' }, ben(late));
  const { answer } = await its.falls.acknowledge(fall, anna(late + 1, { note: 'Here' }));
  expect(answer).toMatchObject({ acknowledgement: { note: 'Here' }, closure: { outcome: 'helped' } });
  expect(await its.fallAnswers.get(fall)).toMatchObject(answer);
});

describe("withdrawing a fall's acknowledgement", () => {
  test("withdrawing a fall's acknowledgement creates a notice", async () => {
    const { its, notice } = hitWorld();
    expect(await its.falls.withdraw(fall, () => true, late)).toEqual({ answer: {}, notice: null });
    await its.falls.acknowledge(fall, anna(late));
    const seen: unknown[] = [];
    const allow = (acknowledgement: object) => seen.push(acknowledgement) > 0;
    const withdrawn = await its.falls.withdraw(fall, allow, late + 9);
    expect([withdrawn, seen]).toMatchObject([{ answer: {}, notice: { receiveDate: late + 9 } }, [anna(late)]]);
    expect(await notice((withdrawn as { notice: { uuid: string } }).notice)).toMatchObject({
      notice: 'fall_changed',
      fall: fallKey,
    });
    expect(await its.fallAnswers.get(fall)).toEqual({});
  });

  test('only the person who acknowledged a fall can reopen it, and only before it is closed', async () => {
    const { its } = hitWorld();
    await its.falls.acknowledge(fall, anna(late));
    expect(await its.falls.withdraw(fall, () => false, late)).toBe('refused');
    await its.falls.close(fall, { outcome: 'helped' }, anna(late));
    expect(await its.falls.withdraw(fall, () => true, late)).toBe('closed');
    expect(await its.fallAnswers.get(fall)).toMatchObject({ acknowledgement: anna(late) });
  });

  test("withdrawing a fall's acknowledgement has no effect if the fall is closed concurrently", async () => {
    const { before, once } = interference();
    const { its } = hitWorld(before);
    await its.falls.acknowledge(fall, anna(late));
    once('TransactWriteCommand', () => its.falls.close(fall, { outcome: 'helped' }, ben(late)));
    expect(await its.falls.withdraw(fall, () => true, late)).toBe('closed');
  });
});

describe("an event's fall", () => {
  const start = async (fields: object) => {
    const { its } = memoryStore();
    const event = { id: 1, uuid: uuid(1), source: null, createDate: now, receiveDate: now, ...fields };
    await its.events.add(HOME, SENSOR, [some(event)]);
    const key = [HOME, SENSOR, uuid(1)] as const;
    return async (since: number) => [await its.falls.ofEvent(...key, since), await its.falls.ofAlarm(...key, since)];
  };

  test("an event's fall can be found until the event is too old", async () => {
    const find = await start({ type: 'fall', action: 'fall_detected', fall: fallKey });
    expect([await find(now), await find(now + 1)]).toEqual([
      [fall, fall],
      [null, null],
    ]);
  });

  test('an event without a fall has a response key only if it is an alarm', async () => {
    const apnea = await start({ type: 'vital', action: 'apnea' });
    const [none, alarm] = await apnea(now);
    expect([none, alarm]).toMatchObject([
      null,
      { customerId: HOME, sensorId: SENSOR, fall: expect.stringMatching(/-e$/) },
    ]);
    expect(await (await start({ type: 'presence', action: 'enter' }))(now)).toEqual([null, null]);
  });
});
