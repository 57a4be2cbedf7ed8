import type { SQSRecord } from 'aws-lambda';
import { MAX_RECEIVES, retrySeconds } from '../queue/consumer.ts';
import { acceptedAt } from '../queue/task.ts';
import type { Runtime } from '../runtime/deps.ts';
import { type Attempt, contentOf, type Outcome } from './attempt.ts';
import { tryQuarantine } from './quarantine.ts';

/** How long (ms) the last result of a group says something about other groups. */
const RECENT = 15 * 60_000;
/** The most groups that are remembered. */
const MAX_GROUPS = 1_000;

/** Creates the memory of how the last tasks of each group ended in this process. */
export const createGroupHistory = (now: () => number) => {
  const results = new Map<string, { at: number; result: 'done' | 'failed' }>();
  return {
    note: (group: string, result: 'done' | 'failed'): void => {
      // The map is in order of time: the first entry is the oldest one.
      results.delete(group);
      results.set(group, { at: now(), result });
      const [oldest] = results.keys();
      if (results.size > MAX_GROUPS && oldest !== undefined) results.delete(oldest);
    },
    /** Whether the tasks of this group fail by themselves: of the other groups, more succeed than fail. */
    failsAlone: (group: string): boolean => {
      const others = [...results].filter(([name, { at }]) => name !== group && now() - at < RECENT);
      const done = others.filter(([, { result }]) => result === 'done').length;
      return done > others.length - done;
    },
  };
};
type GroupHistory = ReturnType<typeof createGroupHistory>;

/** After this many failures the messages of a group are attempted one by one, to find the one that fails. */
const FAILURES = 5;
/** How long (ms) a message is attempted before it is a dead letter, if nothing else keeps it waiting. */
const LIFE = Array.from({ length: MAX_RECEIVES }, (_, at) => 1_000 * retrySeconds(at + 1)).reduce(
  (sum, count) => sum + count,
);
/** The shortest time (ms) until a message is a dead letter: its process may die at each receive, and it is hidden then. */
const SHORTEST_LIFE = 30 * 60_000;

export const isOrdered = ({ attributes }: SQSRecord): boolean => attributes.SequenceNumber !== undefined;
const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

/** Whether a message of a FIFO queue holds back its group. */
export const isStuck = (record: SQSRecord): boolean => isOrdered(record) && receivesOf(record) > FAILURES;

/**
 * Whether a message was a dead letter before. SQS counts one that is put back as sent anew, long after it was accepted; on a
 * local host it is as old as it was. What was pending for long before it was queued counts as one, too.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
const wasDeadLetter = (record: SQSRecord, now: number): boolean => {
  const accepted = acceptedAt(contentOf(record));
  if (accepted === undefined) return false;
  return Number(record.attributes.SentTimestamp) - accepted > SHORTEST_LIFE || now - accepted > 1.5 * LIFE;
};

/**
 * Whether this is the last receive of a message of a FIFO queue that was a dead letter before. It must not become one
 * again: it would be put back again, and hold back its group for another day.
 */
const endsSecondLife = (record: SQSRecord, now: number): boolean =>
  isOrdered(record) && receivesOf(record) >= MAX_RECEIVES - 1 && wasDeadLetter(record, now);

/** Creates what works on a single message of a group. A message that ends its second life is not attempted: that may kill the process. */
const isolated =
  (runtime: Runtime, attempt: Attempt, history: GroupHistory) =>
  async (group: string, record: SQSRecord, timeLeft: () => number): Promise<'done' | 'failed' | 'retry_later'> => {
    const quarantined = async (reason: string) =>
      (await tryQuarantine(runtime, record, reason)) ? 'done' : 'retry_later';
    if (endsSecondLife(record, runtime.now())) return quarantined('it was not done, also after it was put back');

    const isBug = (outcome: Outcome) => outcome.kind === 'failed' && outcome.failure === 'other';
    const first = await attempt([record], timeLeft);
    const isPoison = isBug(first) && isStuck(record) && history.failsAlone(group);
    const outcome = isPoison ? await attempt([record], timeLeft, true) : first;

    if (outcome.kind === 'done' || outcome.left.length === 0) return 'done';
    if (outcome.kind === 'retry_later') return 'retry_later';
    return isPoison && isBug(outcome) ? quarantined(`it fails by itself: ${outcome.error}`) : 'failed';
  };

/**
 * Works on the messages of a group one by one, and returns those that are not done. A message that fails while the messages
 * of most other groups succeed is quarantined, so that those behind it go on. Failures of the table, of queues or of keys
 * are an outage: they do not count.
 */
export const isolatePoison = (runtime: Runtime, attempt: Attempt, history: GroupHistory) => {
  const workOn = isolated(runtime, attempt, history);
  return async (
    group: string,
    records: readonly SQSRecord[],
    timeLeft: () => number,
  ): Promise<readonly SQSRecord[]> => {
    for (const [at, record] of records.entries()) {
      const result = await workOn(group, record, timeLeft);
      if (result === 'failed') history.note(group, 'failed');
      if (result !== 'done') return records.slice(at);
    }
    history.note(group, 'done');
    return [];
  };
};
