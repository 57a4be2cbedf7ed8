import { describe, expect, test } from 'vitest';
import type { EscalatingHit } from '#shared/store/rules/escalations.ts';
import { anna, HOME, hitWorld } from '#test/fixtures/answered-hits.ts';
import { now, some } from '#test/fixtures/store-items.ts';

const later = now + 60_000;
const pending = { round: 0, after: 0, repeats: 0, at: later };
const open = { round: 1, after: 60, repeats: 0, at: later, open: 'step' as const };
const start = async (fields: object = {}) => {
  const world = hitWorld();
  const running = { escalation: pending, cause: { kind: 'c' }, messages: [{ step: 0 }], duePk: 'DUE', dueAt: '1' };
  const hit: EscalatingHit = some(await world.put(1, { ...running, ...fields }));
  return { ...world, hit, rounds: world.its.escalations };
};

describe('escalation rounds', () => {
  const round = { escalation: open, messages: some([{ step: 1 }]) };

  test('a round adds messages for recipients and records a late change to the hit', async () => {
    const { rounds, hit, read, lateChanges } = await start();
    expect(await rounds.open(HOME, hit, round, later)).toBe(true);
    const stored = await read(1);
    expect(stored).toMatchObject({ escalation: open, updateDate: later, isLate: true });
    expect(stored?.messages.map(({ step }) => step)).toEqual([0, 1]);
    expect(stored).not.toHaveProperty('nobodyOnDuty');
    expect(await lateChanges()).toEqual([later]);
  });

  test('an early round records that no one was on duty', async () => {
    const { rounds, hit, read } = await start();
    await rounds.open(HOME, hit, { ...round, escalation: { ...open, isHurried: true } }, later);
    expect(await read(1)).toMatchObject({ nobodyOnDuty: true });
  });

  test.each([
    ['someone acknowledged the alarm', { acknowledgement: anna(now) }],
    ['the hit changed', { updateDate: now + 1 }],
    ['another process decided the round', { escalation: open }],
  ])('a round does not send anything if %s in the meantime', async (_, fields) => {
    const { rounds, hit, read, put, lateChanges } = await start();
    await put(1, { escalation: pending, messages: [{ step: 0 }], ...fields });
    expect(await rounds.open(HOME, hit, round, later)).toBe(false);
    expect([(await read(1))?.messages.length, await lateChanges()]).toEqual([1, []]);
  });
});

describe('next rounds', () => {
  test('the next round is due at the scheduled time', async () => {
    const { rounds, hit, read, due } = await start();
    const next = { ...pending, at: now + 90_000 };
    await rounds.scheduleRound(HOME, hit, next, now);
    expect([(await read(1))?.escalation, await due(1)]).toEqual([next, now + 90_000]);
  });

  test('a round too far ahead for a queue is due for a check, and an open round is due at once', async () => {
    const { rounds, hit, due, put } = await start();
    await rounds.scheduleRound(HOME, hit, { ...pending, at: now + 3_600_000 }, now);
    expect(await due(1)).toBe(now + 3_000_000);
    await put(1, { escalation: pending });
    await rounds.scheduleRound(HOME, hit, open, now);
    expect(await due(1)).toBe(now);
  });

  test('the last round is not followed by another', async () => {
    const { rounds, hit, raw } = await start();
    await rounds.scheduleRound(HOME, hit, null, now);
    for (const name of ['escalation', 'cause', 'duePk', 'dueAt']) expect(await raw(1)).not.toHaveProperty(name);
  });

  test('scheduling the next round does not overwrite a round changed by another process', async () => {
    const { rounds, hit, put, raw } = await start();
    await put(1, { escalation: open, dueAt: '7', duePk: 'DUE' });
    await rounds.scheduleRound(HOME, hit, { ...pending, at: now }, now);
    await rounds.scheduleRound(HOME, hit, null, now);
    expect(await raw(1)).toMatchObject({ escalation: open, dueAt: '7' });
  });
});

describe('acknowledged alarms', () => {
  test('an acknowledged alarm is no longer due but keeps its escalation', async () => {
    const { rounds, hit, raw, put } = await start({ acknowledgement: anna(now) });
    await rounds.removeFromDue(HOME, hit);
    expect(await raw(1)).toMatchObject({ escalation: pending, cause: { kind: 'c' } });
    for (const name of ['duePk', 'dueAt']) expect(await raw(1)).not.toHaveProperty(name);
    await put(1, { escalation: pending, duePk: 'DUE', dueAt: '1' });
    await rounds.removeFromDue(HOME, hit);
    expect(await raw(1)).toMatchObject({ dueAt: '1' });
    await put(1, { escalation: open, acknowledgement: anna(now), duePk: 'DUE', dueAt: '1' });
    await rounds.removeFromDue(HOME, hit);
    expect(await raw(1)).toMatchObject({ dueAt: '1' });
  });
});
