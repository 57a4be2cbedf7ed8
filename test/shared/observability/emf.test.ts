import { afterEach, describe, expect, test, vi } from 'vitest';
import { publisherIn } from '#shared/observability/emf.ts';
import { buffered, type MetricName, metrics } from '#shared/observability/metrics.ts';

afterEach(() => vi.restoreAllMocks());
/** What is written to standard output meanwhile, line by line. */
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

describe('the embedded metric format', () => {
  test('has all values of an invocation in one line, with unit, namespace and the one dimension', () => {
    const publish = publisherIn('SensorCloud-test');
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

  test('tells nothing twice', () => {
    const publish = publisherIn('SensorCloud-test');
    const lines = linesOf(() => {
      publish([['Events', 1]]);
      publish([['RuleHits', 1]]);
    });
    expect(lines.map((line) => ['Events' in line, 'RuleHits' in line])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test('takes every metric', () => {
    const all = Object.keys(metrics) as MetricName[];
    const [line = {}] = linesOf(() => publisherIn('SensorCloud-test')(all.map((name) => [name, 1])));
    expect(Object.keys(line)).toEqual(expect.arrayContaining(all));
  });
});

describe('what an invocation measures', () => {
  test('leaves at its end and only then, 1 unless told otherwise', async () => {
    const left: unknown[] = [];
    const { measure, flush } = buffered(
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

  test('waits for others when it says only how many messages were accepted, but not for long', async () => {
    const left: unknown[] = [];
    let time = 0;
    const { measure, flush } = buffered(
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

  test('fails no invocation when it cannot leave', async () => {
    const told: unknown[] = [];
    const { measure, flush } = buffered(
      () => Promise.reject(new Error('no way out')),
      (error) => told.push(error),
    );
    measure('Events');
    await flush();
    expect(told).toEqual([new Error('no way out')]);
  });
});
