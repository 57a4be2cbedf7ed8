import type { SQSRecord } from 'aws-lambda';
import { MAX_RECEIVES, retrySeconds } from '../queue/consumer.ts';
import { acceptedAt, parsedBody } from '../queue/task.ts';
import type { Runtime } from '../runtime/deps.ts';
import type { Attempt, TaskOutcome } from './failure.ts';
import { tryQuarantine } from './quarantine.ts';

/** How long (ms) a group's last result counts when other groups are judged. */
const RECENT_MS = 15 * 60_000;
/** The maximum number of groups remembered. */
const MAX_GROUPS = 1_000;

/**
 * How long (ms) a group must keep failing if the process has no other groups. The pauses between receives grow longer,
 * so a message is quarantined after 4 to 9 minutes.
 */
const UNOPPOSED_MS = 4 * 60_000;

/** How the last task in a group ended. Table, queue and key failures are an `outage`. */
type GroupResult = 'done' | 'failed' | 'outage';

export const groupResult = (outcome: Exclude<TaskOutcome, { kind: 'retry_later' }>): GroupResult => {
  if (outcome.kind === 'done') return 'done';
  return outcome.failure === 'other' ? 'failed' : 'outage';
};

/** Creates the record of how the last tasks in each group ended in this process. */
export const createGroupHistory = (now: () => number) => {
  const results = new Map<string, { at: number; result: GroupResult; failingSince: number | null }>();
  return {
    note: (group: string, result: GroupResult): void => {
      const failingSince = result === 'failed' ? (results.get(group)?.failingSince ?? now()) : null;
      // The map is ordered by time, so the first entry is the oldest.
      results.delete(group);
      results.set(group, { at: now(), result, failingSince });
      const [oldest] = results.keys();
      if (results.size > MAX_GROUPS && oldest !== undefined) results.delete(oldest);
    },
    /**
     * Whether only this group is failing, which means that more of the other groups succeed than fail. If there are no
     * other groups, nothing indicates an outage either, and the group has to keep failing for several minutes.
     */
    failsAlone: (group: string): boolean => {
      const others = [...results].filter(([name, { at }]) => name !== group && now() - at < RECENT_MS);
      if (others.length === 0) return now() - (results.get(group)?.failingSince ?? now()) >= UNOPPOSED_MS;
      const done = others.filter(([, { result }]) => result === 'done').length;
      return done > others.length - done;
    },
  };
};
type GroupHistory = ReturnType<typeof createGroupHistory>;

/** After this many failures, the messages in a group are attempted one by one, to find the failing one. */
const MAX_FAILURES = 5;
/** How long (ms) a message is attempted before it becomes a dead letter, if nothing else delays it. */
const LIFETIME_MS = Array.from({ length: MAX_RECEIVES }, (_, at) => 1_000 * retrySeconds(at + 1)).reduce(
  (sum, count) => sum + count,
);
/**
 * The shortest time (ms) until a message becomes a dead letter. If the process dies on each receive, there are no
 * pauses.
 */
const MIN_LIFETIME_MS = 30 * 60_000;

export const isOrdered = ({ attributes }: SQSRecord): boolean => attributes.SequenceNumber !== undefined;
const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

/** Whether a FIFO queue message holds back its group. */
export const isStuck = (record: SQSRecord): boolean => isOrdered(record) && receivesOf(record) > MAX_FAILURES;

/**
 * Whether a message was a dead letter before. SQS assigns a redriven message a new sent time, long after it was
 * accepted. On a local host, the original time is kept. A message that was pending for a long time before it was queued
 * looks the same.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
const wasDeadLetter = (record: SQSRecord, now: number): boolean => {
  const accepted = acceptedAt(parsedBody(record));
  if (accepted === undefined) return false;
  return Number(record.attributes.SentTimestamp) - accepted > MIN_LIFETIME_MS || now - accepted > 1.5 * LIFETIME_MS;
};

/**
 * Whether this is the last receive of a former dead letter in a FIFO queue. The message must not become a dead letter
 * again, because it would hold back the group for another day.
 */
const endsSecondLife = (record: SQSRecord, now: number): boolean =>
  isOrdered(record) && receivesOf(record) >= MAX_RECEIVES - 1 && wasDeadLetter(record, now);

/**
 * Creates a function that processes one message in a group. A message at the end of its second life is not attempted,
 * because that may kill the process.
 */
const processIsolated =
  (runtime: Runtime, attempt: Attempt, history: GroupHistory) =>
  async (group: string, record: SQSRecord, timeLeft: () => number): Promise<GroupResult | 'retry_later'> => {
    const quarantined = async (reason: string) =>
      (await tryQuarantine(runtime, record, reason)) ? 'done' : 'retry_later';
    if (endsSecondLife(record, runtime.now())) return quarantined('it was not completed, even after it was redriven');

    const isBug = (outcome: TaskOutcome) => outcome.kind === 'failed' && outcome.failure === 'other';
    const first = await attempt([record], timeLeft);
    const isPoison = isBug(first) && isStuck(record) && history.failsAlone(group);
    const outcome = isPoison ? await attempt([record], timeLeft, true) : first;

    if (outcome.kind === 'done' || outcome.left.length === 0) return 'done';
    if (outcome.kind === 'retry_later') return 'retry_later';
    if (!isBug(outcome)) return 'outage';
    return isPoison ? quarantined(`it fails on its own: ${outcome.error}`) : 'failed';
  };

/**
 * Creates a function that processes the messages in a group one by one and returns the unfinished ones. A message is
 * quarantined if it fails while most other groups succeed, or if it keeps failing for several minutes while there is no
 * other group. The messages behind it can then be processed. Table, queue and key failures are outages and do not
 * count.
 */
export const isolatePoison = (runtime: Runtime, attempt: Attempt, history: GroupHistory) => {
  const processOne = processIsolated(runtime, attempt, history);
  return async (
    group: string,
    records: readonly SQSRecord[],
    timeLeft: () => number,
  ): Promise<readonly SQSRecord[]> => {
    for (const [at, record] of records.entries()) {
      const result = await processOne(group, record, timeLeft);
      if (result === 'failed' || result === 'outage') history.note(group, result);
      if (result !== 'done') return records.slice(at);
    }
    history.note(group, 'done');
    return [];
  };
};
