import type { Queue } from '#lib/local/queue/queue.ts';
import type { Measure, MetricName } from '#shared/observability/metrics.ts';
import { type WorkQueue, workQueues } from '#shared/queue/names.ts';
import {
  type AlarmProperties,
  isInAlarm,
  type MetricKey,
  metricKeyOf,
  type Point,
} from '../fixtures/alarm-evaluation.ts';
import { mqttDomain, production, type Synthesised, stackOf } from '../fixtures/stack.ts';

const MINUTE = 60_000;
/** A queue's age metric omits messages with at least this many receives. */
const OMITTED_RECEIVES = 3;
type Queues = Readonly<Record<WorkQueue | 'quarantine', Queue>>;
type Watched = { queues: Queues; dead: Readonly<Record<string, Queue>>; now: () => number };

/** Returns a stage's alarms, keyed by the ids of their runbook chapters. */
export const alarmsOf = ({ template }: Pick<Synthesised, 'template'>): Map<string, AlarmProperties> =>
  new Map(
    Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => [
      String(JSON.stringify(Properties.AlarmDescription)).match(/#([\w-]+)"/)?.[1] ?? '',
      Properties as AlarmProperties,
    ]),
  );

/** Creates a record of the metrics CloudWatch would have: from the functions, Lambda and SQS. */
export const createWatch = (
  { queues, dead, now }: Watched,
  stack = stackOf({ ...production, mqtt: true, ...mqttDomain, silenceMinutes: 0, canary: false, alarmEmail: '' }),
) => {
  const alarms = alarmsOf(stack);
  const points = new Map<MetricKey, Point[]>();
  const note = (key: MetricKey, value: number): void => {
    const ofKey = points.get(key) ?? [];
    ofKey.push({ at: now(), value });
    points.set(key, ofKey);
  };
  const ofQueue = (id: string, metric: string, value: number) => note(metricKeyOf('AWS/SQS', metric, [id]), value);
  const ids = new Map(
    workQueues.map((name) => [name, [stack.idOf(`${name}-queue`), stack.idOf(`${name}-dead`)] as const]),
  );
  const onCount = (name: WorkQueue, metric: string) => (count: number) =>
    ofQueue(ids.get(name)?.[0] ?? '', metric, count);
  return {
    alarms,
    measure: ((name: MetricName, value = 1) => note(metricKeyOf('Test', name, ['sensor-cloud']), value)) as Measure,
    failed: (functionName: string): void => note(metricKeyOf('AWS/Lambda', 'Errors', [stack.idOf(functionName)]), 1),
    received: (name: WorkQueue, count: number) => onCount(name, 'NumberOfMessagesReceived')(count),
    deleted: (name: WorkQueue) => onCount(name, 'NumberOfMessagesDeleted')(1),
    quarantined: (): void => ofQueue(stack.idOf('quarantine'), 'NumberOfMessagesSent', 1),
    /** Records what SQS measures each minute. */
    sample: (): void => {
      for (const [name, [id, deadId]] of ids) {
        const since = queues[name].waitingSince(OMITTED_RECEIVES);
        ofQueue(id, 'ApproximateAgeOfOldestMessage', since === null ? 0 : (now() - since) / 1_000);
        ofQueue(deadId, 'ApproximateNumberOfMessagesVisible', dead[name]?.stats().visible ?? 0);
      }
    },
    clear: (): void => points.clear(),
    /** Returns the alarms that were on in any minute between two times (ms). */
    fired: (from: number, to: number): string[] => {
      const moments = new Set([...points.values()].flat().map(({ at }) => Math.floor(at / MINUTE) * MINUTE + MINUTE));
      const times = [...moments].filter((time) => time >= from && time <= to);
      // EventBridge calls the sweep each minute, but no calls are recorded while time is skipped here.
      const calls = (time: number): Point[] => [1, 2, 3, 4].map((minute) => ({ at: time - minute * MINUTE, value: 1 }));
      const measured = (key: MetricKey) =>
        key.startsWith('AWS/Lambda Invocations') ? times.flatMap(calls) : points.get(key);
      return [...alarms]
        .filter(([, alarm]) => times.some((time) => isInAlarm(alarm, time, measured)))
        .map(([id]) => id);
    },
  };
};
export type Watch = ReturnType<typeof createWatch>;
