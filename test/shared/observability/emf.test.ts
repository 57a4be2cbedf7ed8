import { afterEach, describe, expect, test, vi } from 'vitest';
import { emfPublisher } from '#shared/observability/emf.ts';
import { bufferMetrics, hasDimensions, type MetricName, metrics, onlyShown } from '#shared/observability/metrics.ts';

afterEach(() => vi.restoreAllMocks());
/** Returns the lines written to standard output during a call. */
const linesOf = (run: () => void): Record<string, unknown>[] => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  run();
  vi.restoreAllMocks();
  return written
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

describe('embedded metric format', () => {
  test('emfPublisher writes all values on one line, with unit, namespace and dimension', () => {
    const publish = emfPublisher('SensorCloud-test');
    const [line, ...more] = linesOf(() =>
      publish([
        ['Events', 2],
        ['TimeToReceiver', 300],
        ['TimeToReceiver', 500],
      ]),
    );
    expect(more).toEqual([]);
    expect(line).toMatchObject({ Events: 2, TimeToReceiver: [300, 500], service: 'sensor-cloud' });
    expect(line?._aws).toMatchObject({
      CloudWatchMetrics: [
        {
          Namespace: 'SensorCloud-test',
          Dimensions: [['service']],
          Metrics: [
            { Name: 'Events', Unit: 'Count' },
            { Name: 'TimeToReceiver', Unit: 'Milliseconds' },
          ],
        },
      ],
    });
  });

  test('emfPublisher writes each value only once', () => {
    const publish = emfPublisher('SensorCloud-test');
    const lines = linesOf(() => {
      publish([['Events', 1]]);
      publish([['RuleHits', 1]]);
    });
    expect(lines.map((line) => ['Events' in line, 'RuleHits' in line])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('emfPublisher supports every metric', () => {
    const all = Object.keys(metrics) as MetricName[];
    const [line = {}] = linesOf(() => emfPublisher('SensorCloud-test')(all.map((name) => [name, 1])));
    expect(Object.keys(line)).toEqual(expect.arrayContaining(all));
  });
});

describe('invocation metrics', () => {
  test('metrics appear only at the end of the invocation, with 1 as the default value', async () => {
    const left: unknown[] = [];
    const { measure, flush } = bufferMetrics(
      async (all) => void left.push(all),
      () => {},
    );
    await flush();
    measure('Events');
    measure('OldestWaiting', 7);
    expect(left).toEqual([]);
    await flush();
    await flush();
    expect(left).toEqual([
      [
        ['Events', 1],
        ['OldestWaiting', 7],
      ],
    ]);
  });

  test('metrics are written at most once a minute if they only count accepted messages', async () => {
    const left: unknown[] = [];
    let time = 0;
    const { measure, flush } = bufferMetrics(
      async (all) => void left.push(all),
      () => {},
      { everyMs: 60_000, now: () => time },
    );
    for (time of [0, 1_000, 59_000, 60_000, 61_000]) {
      measure('MessagesAccepted', 2);
      await flush();
    }
    expect(left).toEqual([[['MessagesAccepted', 2]], [['MessagesAccepted', 6]]]);
    measure('TasksFailed', 1, { worker: 'deliver', kind: 'table' });
    await flush();
    expect(left.slice(2)).toEqual([
      [
        ['MessagesAccepted', 2],
        ['TasksFailed', 1, { worker: 'deliver', kind: 'table' }],
      ],
    ]);
  });

  test('a stage without a dashboard publishes only metrics used by alarms', async () => {
    const left: unknown[] = [];
    const { measure, flush } = bufferMetrics(
      async (all) => void left.push(all),
      () => {},
      { everyMs: 0, now: () => 0, leftOut: onlyShown },
    );
    for (const name of onlyShown) if (!hasDimensions(name)) measure(name);
    await flush();
    measure('AttemptsLate');
    measure('TimeToFirstAttempt', 40_000);
    await flush();
    expect(left).toEqual([[['AttemptsLate', 1]]]);
  });

  test('an invocation never fails because metrics cannot be written', async () => {
    const reported: unknown[] = [];
    const { measure, flush } = bufferMetrics(
      () => Promise.reject(new Error('not written')),
      (error) => reported.push(error),
    );
    measure('Events');
    await flush();
    expect(reported).toEqual([new Error('not written')]);
  });
});
