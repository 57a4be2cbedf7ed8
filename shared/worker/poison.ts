import type { SQSRecord } from 'aws-lambda';
import { MAX_RECEIVES, retrySeconds } from '../queue/consumer.ts';
import type { Runtime } from '../runtime/deps.ts';
import type { FailureKind } from './failure.ts';
import type { Outcomes } from './outcomes.ts';
import { putAside } from './quarantine.ts';

/** What became of the messages of a group: those that are not done, and why. `again`: nothing failed. */
export type Worked = { left: readonly SQSRecord[]; why: FailureKind | 'again' | null; error?: unknown };

/** After so many failures the messages of a group are worked on one by one, to find the one that fails. */
const FAILURES = 5;
/** How long (ms) a message is tried before it is a dead letter, if nothing else keeps it waiting. */
const LIFE = Array.from({ length: MAX_RECEIVES }, (_, at) => 1_000 * retrySeconds(at + 1)).reduce(
  (sum, count) => sum + count,
);

export const isOrdered = ({ attributes }: SQSRecord): boolean => attributes.SequenceNumber !== undefined;
const receivesOf = ({ attributes }: SQSRecord): number => Number(attributes.ApproximateReceiveCount);

/** Does a message of a FIFO queue hold back its group? */
export const isStuck = (record: SQSRecord): boolean => isOrdered(record) && receivesOf(record) > FAILURES;

/** When (ms) a task was accepted, if its body says so. */
const acceptedAt = ({ body }: SQSRecord): number =>
  Number(/"receiveDate":(\d{1,16})\b/.exec(body)?.[1] ?? Number.POSITIVE_INFINITY);

/** A message becomes a dead letter no sooner than this (ms): at each receive its process may die, and it is hidden then. */
const SHORTEST_LIFE = 30 * 60_000;

/**
 * Was it a dead letter before? SQS counts one that is put back as sent anew, long after it was accepted; on a local host it
 * is as old as it was. What waited for long before it was queued is taken for one, too.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
const wasDeadLetter = (record: SQSRecord, now: number): boolean =>
  Number(record.attributes.SentTimestamp) - acceptedAt(record) > SHORTEST_LIFE || now - acceptedAt(record) > 1.5 * LIFE;

/**
 * Is this the last receive of a message of a FIFO queue that was a dead letter before? It must not become one again: it
 * would be put back again, and hold back its group for another day.
 */
const endsSecondLife = (record: SQSRecord, now: number): boolean =>
  isOrdered(record) && receivesOf(record) >= MAX_RECEIVES - 1 && wasDeadLetter(record, now);

/**
 * Works on the messages of a group one by one. One that fails, while the messages of most other groups succeed, is put in
 * the quarantine, so that those behind it go on. Failures of the table, of queues or of keys are an outage: they do not
 * count. At its last try it may put aside what an earlier message left. At the end of its second life a message is put there without another try, which may kill the process. Gives the
 * messages that are not done.
 */
export const putPoisonAside =
  (
    runtime: Runtime,
    workOn: (records: readonly SQSRecord[], timeLeft: () => number, isLastTry?: boolean) => Promise<Worked>,
    outcomes: Outcomes,
  ) =>
  async (group: string, records: readonly SQSRecord[], timeLeft: () => number): Promise<readonly SQSRecord[]> => {
    for (const [at, record] of records.entries()) {
      if (endsSecondLife(record, runtime.now())) {
        if (await putAside(runtime, record, 'it was not done, also after it was put back')) continue;
        return records.slice(at);
      }
      const isToGo = ({ why }: Worked): boolean => why === 'other' && isStuck(record) && outcomes.failsAlone(group);
      const first = await workOn([record], timeLeft);
      const { left, why, error } = isToGo(first) ? await workOn([record], timeLeft, true) : first;
      if (left.length === 0) continue;
      if (why !== 'other' || !isToGo(first)) {
        if (why !== 'again') outcomes.note(group, false);
        return records.slice(at);
      }
      if (!(await putAside(runtime, record, `it fails by itself: ${error}`))) return records.slice(at);
    }
    outcomes.note(group, true);
    return [];
  };
