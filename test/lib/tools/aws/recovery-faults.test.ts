import { describe, expect, test } from 'vitest';
import { drill, FAILED, outcomeWith } from '#test/fixtures/recovery-drill.ts';

describe('a recovery with failing calls', () => {
  test.each(['before', 'after'] as const)(
    'reaches the same end state on a second run, whichever call failed %s it took effect',
    async (how) => {
      const { outcome, calls } = await outcomeWith(null);
      for (const at of calls.keys()) {
        const end = await outcomeWith({ at, how });
        expect([at, calls[at], end.first, end.last, end.broken]).toEqual([at, calls[at], FAILED, true, []]);
        expect(end.outcome).toEqual(outcome);
      }
    },
  );

  test('reaches the same end state after two failures', async () => {
    const { outcome, calls } = await outcomeWith(null);
    for (let at = 0; at < calls.length; at += 3) {
      const end = await outcomeWith({ at, how: 'after' }, async ({ failAt, calls: made, run }) => {
        failAt({ at: made.length + ((at * 7) % 40), how: 'before' });
        await run().catch(() => {});
        failAt(null);
      });
      expect([at, end.last, end.broken]).toEqual([at, true, []]);
      expect(end.outcome).toEqual(outcome);
    }
  });

  test('waits for a deployment that CloudFormation continues, without deploying again', async () => {
    const { calls } = await outcomeWith(null);
    const end = await outcomeWith({ at: calls.indexOf('deploy'), how: 'after' });
    expect([end.first, end.last, end.broken]).toEqual([FAILED, true, []]);
    expect(end.calls.filter((call) => call === 'deploy')).toHaveLength(1);
  });

  test('deploys again after CloudFormation has rolled back', async () => {
    const { outcome, calls } = await outcomeWith(null);
    const end = await outcomeWith({ at: calls.indexOf('deploy'), how: 'goes back' });
    expect([end.first, end.last, end.broken]).toEqual([FAILED, true, []]);
    expect(end.outcome).toEqual(outcome);
    expect(end.calls.filter((call) => call === 'deploy')).toHaveLength(2);
  });

  test.each([
    ['GetTemplate', 0, /^This run changed nothing\. If an earlier run stopped the stage/],
    ['RestoreTableToPointInTime', 0, /^FAILED {2}recover the table.*\nThe stage runs as before\.\n/s],
    ['PutFunctionConcurrency', 1, /^FAILED {2}close the APIs.*\nThe APIs of the stage are closed: falls may not/s],
    ['deploy', 0, /^FAILED {2}deploy the stage.*\nThe APIs are closed and nothing runs: falls are not accepted until/s],
    ['DeleteFunctionConcurrency', 1, /^FAILED {2}open the APIs.*\nThe stage is on the recovered table, but not all/s],
  ])("reports which step failed, the stage's condition, and how to continue: %s", async (name, nth, says) => {
    const { calls } = await outcomeWith(null);
    const at = calls.flatMap((call, index) => (call === name ? [index] : []))[nth] ?? -1;
    const { failAt, run, lines } = drill();
    failAt({ at, how: 'before' });
    await expect(run()).rejects.toThrow(`call ${at + 1}`);
    const from = lines.findIndex((line) => /^(FAILED|This run changed nothing)/.test(line));
    expect(lines.slice(from).join('\n')).toMatch(says);
    expect(lines.at(-1)).toMatch(
      /run the same command again\.$|^Run the same command again: it continues where it stopped\.$/,
    );
  });

  test('does not claim that the stage is running after an earlier run closed the APIs', async () => {
    const { failAt, run, lines } = drill();
    failAt({ at: 'UpdateEventSourceMapping', how: 'before' });
    await expect(run()).rejects.toThrow();
    failAt({ at: 'GetAccountSettings', how: 'before' });
    await expect(run()).rejects.toThrow();
    expect(lines.slice(-3)).toEqual([
      expect.stringMatching(/^FAILED {2}check that the stage can be deployed/),
      expect.stringMatching(/^The APIs of the stage are closed/),
      expect.stringMatching(/^Run the same command again/),
    ]);
  });
});
