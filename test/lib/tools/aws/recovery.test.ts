import { describe, expect, test } from 'vitest';
import { goalOf, timeProblem } from '#lib/tools/aws/recovery.ts';
import { changesIn, drill, goal } from '#test/fixtures/recovery-drill.ts';
import { OLD, START, templateOf } from '#test/fixtures/recovery-world.ts';

describe('a recovery that cannot be', () => {
  test.each<[string | undefined, RegExp]>([
    [undefined, /^to which time\?/],
    ['yesterday', /^--to is a time of ISO 8601/],
    ['2026-11-22', /^--to is a time of ISO 8601/],
    ['2026-11-22T10:00:00', /with its time zone/],
    ['2026-11-22T12:00:01Z', /^--to is in the future: it is 2026-11-22T12:00:00.000Z now$/],
    ['2026-10-18T11:59:59Z', /^--to is more than 35 days ago/],
  ])('by its time %s is told so', (given, says) => {
    expect(timeProblem(given, START)).toMatch(says);
  });
  test('by nothing is told nothing', () => {
    for (const given of ['2026-11-22T12:00:00Z', '2026-10-18T12:00:00Z', '2026-11-22T12:00+02:00'])
      expect(timeProblem(given, START)).toBeNull();
    expect(goalOf('prod', '2026-11-22T12:00:00.9+02:00')).toEqual(goal);
    expect(goal.target).toBe('SensorCloud-prod-recovered-20261122T100000Z');
  });

  test.each([
    ['before what AWS keeps', '2026-11-10T00:00:00Z'],
    ['after what AWS has by now', '2026-11-22T11:59:00Z'],
  ])('because the time is %s is refused before anything is changed', async (_, time) => {
    const { run, calls } = drill(undefined, goalOf('prod', time));
    await expect(run()).rejects.toThrow(
      /^AWS can recover the table SensorCloud-prod-Table-1 to times from .* now, and not to/,
    );
    expect(changesIn(calls)).toEqual([]);
  });

  test('because the table has no point-in-time recovery, or its name is taken, is refused before anything is changed', async () => {
    const { run, calls, world } = drill();
    const table = world.tables[OLD];
    if (table) table.isRecoverable = false;
    await expect(run()).rejects.toThrow(/has no point-in-time recovery/);
    if (table) world.tables[goal.target] = { ...table, source: 'another-table' };
    await expect(run(true)).rejects.toThrow(/^There is a table .* already, which was recovered from another-table/);
    expect(changesIn(calls)).toEqual([]);
  });

  test('because it cannot be deployed is refused before the stage is stopped', async () => {
    const { run, calls, account, lines } = drill();
    account.concurrency = async () => ({ total: 1_000, unreserved: 50 });
    account.template = async () => JSON.stringify(templateOf({ Ref: 'Table' }, '', 0));
    await expect(run()).rejects.toThrow(/^The stage cannot be deployed with these settings/);
    expect(lines.join('\n')).toMatch(/NOT OK +concurrency/);
    expect(changesIn(calls)).toEqual([]);
  });
});
