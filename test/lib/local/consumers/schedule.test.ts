import type { ScheduledEvent } from 'aws-lambda';
import { expect, onTestFinished, test } from 'vitest';
import { type Clock, virtualClock } from '#lib/local/clock.ts';
import { type ScheduleOptions, schedule } from '#lib/local/consumers/schedule.ts';

const ACCOUNT = '000000000000';
const START = Date.UTC(2026, 10, 20, 8, 30, 15, 678);

const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

const setUpSchedule = (timeoutSeconds: number, handler: ScheduleOptions['handler']) => {
  const clock = virtualClock(START);
  const errors: string[] = [];
  const onError = (error: unknown, requestId: string) => errors.push(`${requestId}: ${error}`);
  const host = { clock, onError, newId: () => 'run' };
  const rule = schedule({ name: 'sweep', everyMs: 60_000, handler, timeoutSeconds, ...host });
  onTestFinished(async () => {
    const stopped = rule.stop();
    await clock.advance(600_000);
    await stopped;
  });
  return { clock, errors, rule };
};

test('schedule runs every `everyMs` with an EventBridge rule event', async () => {
  const calls: [ScheduledEvent, string][] = [];
  const { clock } = setUpSchedule(60, async (event, context) => {
    calls.push([event, `${context.functionName} ${context.getRemainingTimeInMillis()}`]);
  });
  await clock.advance(59_999);
  expect(calls).toEqual([]);
  await clock.advance(60_001);
  const event = { version: '0', 'detail-type': 'Scheduled Event', source: 'aws.events', account: ACCOUNT, detail: {} };
  const rule = { region: 'eu-central-1', resources: ['arn:aws:events:eu-central-1:000000000000:rule/sweep'] };
  expect(calls).toEqual([
    [{ ...event, ...rule, id: expect.any(String), time: '2026-11-20T08:31:15Z' }, 'sweep 60000'],
    [{ ...event, ...rule, id: expect.any(String), time: '2026-11-20T08:32:15Z' }, 'sweep 60000'],
  ]);
});

test('schedule never overlaps runs, and skips a late run', async () => {
  const log: string[] = [];
  const { clock, rule } = setUpSchedule(900, async () => {
    log.push(`start ${(clock.now() - START) / 1000}`);
    await pause(clock, 95_000);
    log.push(`end ${(clock.now() - START) / 1000}`);
  });
  await clock.advance(130_000);
  void rule.idle().then(() => log.push('idle'));
  const now = rule.runNow();
  await clock.advance(135_000);
  await now;
  expect(log).toEqual(['start 60', 'end 155', 'idle', 'start 155', 'end 250']);
});

test('schedule reports a run that fails or takes too long, and continues with the next one', async () => {
  let runs = 0;
  const { clock, errors, rule } = setUpSchedule(30, () => {
    runs += 1;
    return runs === 1 ? Promise.reject(new Error('bug')) : new Promise(() => {});
  });
  await rule.runNow();
  await clock.advance(120_000);
  expect(runs).toBe(3);
  expect(errors).toEqual(['run: Error: bug', 'run: Error: timed out after 30 seconds']);
});

test('schedule starts nothing after stop, which waits for the current run', async () => {
  let runs = 0;
  const { clock, rule } = setUpSchedule(60, async () => {
    runs += 1;
    await pause(clock, 10_000);
  });
  await clock.advance(60_000);
  let stopped = false;
  const stopping = rule.stop().then(() => (stopped = true));
  await clock.advance(9_999);
  expect(stopped).toBe(false);
  await clock.advance(1);
  await stopping;
  await rule.runNow();
  await clock.advance(600_000);
  expect(runs).toBe(1);
});
