import { describe, expect, test } from 'vitest';
import { recoveryGoal, recoveryTimeProblem } from '#lib/tools/aws/recovery.ts';
import { changesIn, drill, goal } from '#test/fixtures/recovery-drill.ts';
import { OLD, START, templateOf } from '#test/fixtures/recovery-world.ts';

describe('a recovery', () => {
  test.each<[string | undefined, RegExp]>([
    [undefined, /^--to is required/],
    ['yesterday', /^--to must be an ISO 8601 time/],
    ['2026-11-22', /^--to must be an ISO 8601 time/],
    ['2026-11-22T10:00:00', /with a time zone/],
    ['2026-11-22T12:00:01Z', /^--to is in the future: now it is 2026-11-22T12:00:00.000Z$/],
    ['2026-10-18T11:59:59Z', /^--to must be within the last 35 days/],
  ])('rejects the time %s', (value, says) => {
    expect(recoveryTimeProblem(value, START)).toMatch(says);
  });

  test('accepts a time within the last 35 days', () => {
    for (const value of ['2026-11-22T12:00:00Z', '2026-10-18T12:00:00Z', '2026-11-22T12:00+02:00'])
      expect(recoveryTimeProblem(value, START)).toBeNull();
    expect(recoveryGoal('prod', '2026-11-22T12:00:00.9+02:00')).toEqual(goal);
    expect(goal.target).toBe('SensorCloud-prod-recovered-20261122T100000Z');
  });

  test.each([
    ['before the oldest backup', '2026-11-10T00:00:00Z'],
    ['after the newest backup', '2026-11-22T11:59:00Z'],
  ])('rejects a time %s before changing anything', async (_, time) => {
    const { run, calls } = drill(undefined, recoveryGoal('prod', time));
    await expect(run()).rejects.toThrow(
      /^AWS can recover the table SensorCloud-prod-Table-1 only to times from .*, not to/,
    );
    expect(changesIn(calls)).toEqual([]);
  });

  test('rejects a table without point-in-time recovery, or a taken name, before changing anything', async () => {
    const { run, calls, world } = drill();
    const table = world.tables[OLD];
    if (table) table.isRecoverable = false;
    await expect(run()).rejects.toThrow(/has no point-in-time recovery/);
    if (table) world.tables[goal.target] = { ...table, source: 'another-table' };
    await expect(run(true)).rejects.toThrow(/^The table .* already exists, but was recovered from another-table/);
    expect(changesIn(calls)).toEqual([]);
  });

  test('rejects settings that cannot be deployed before stopping the stage', async () => {
    const { run, calls, account, lines } = drill();
    account.concurrency = async () => ({ total: 1_000, unreserved: 50 });
    account.template = async () => JSON.stringify(templateOf({ Ref: 'Table' }, '', 0));
    await expect(run()).rejects.toThrow(/^The stage cannot be deployed with these settings/);
    expect(lines.join('\n')).toMatch(/NOT OK +concurrency/);
    expect(changesIn(calls)).toEqual([]);
  });
});
