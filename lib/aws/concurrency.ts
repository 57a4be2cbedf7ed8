import { consumers } from '../../functions/index.ts';
import type { Consumer } from '../../shared/queue/consumer.ts';
import type { LambdaName } from './lambdas.ts';
import { numbers, whole } from './setting.ts';

/**
 * Lambda lets a queue take two invocations at a time or more, and 1,000 at the most.
 * https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html
 */
const LEAST_OF_QUEUE = 2;

/** 0: not reserved. An account keeps 100 for all that reserves none, so a new one, which has 10, can reserve nothing. */
const reserved = whole(0, 0, 10_000);

/**
 * Invocations at a time that are kept for a function, and that it cannot go beyond: what falls need, slow lists and
 * guessed logins cannot take.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export const concurrency = numbers({
  devices: reserved,
  process: reserved,
  deliver: reserved,
  ingest: reserved,
  sweep: reserved,
} satisfies Partial<Record<LambdaName, typeof reserved>>);

export type Concurrency = (typeof concurrency)['otherwise'];

/** What is reserved for a function; 0: nothing. */
export const reservedFor = (name: string, reservations: Concurrency): number =>
  (reservations as Readonly<Record<string, number>>)[name] ?? 0;

/**
 * Invocations at a time that each queue of a consumer may take: as many as its contract says, and all of its queues
 * together no more than are reserved. What Lambda fetched and then may not hand over counts as received, and would be
 * dead in the end without anybody having looked at it.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const shareOfQueue = ({ name, queues, concurrency: most }: Consumer, reservations: Concurrency): number => {
  const all = reservedFor(name, reservations);
  return all === 0 ? most : Math.min(most, Math.floor(all / queues.length));
};

/** Sentences about reservations that are too small for the queues of a function. */
export const tooSmall = (reservations: Concurrency): string[] =>
  consumers
    .filter((one: Consumer) => shareOfQueue(one, reservations) < LEAST_OF_QUEUE)
    .map(({ name, queues }: Consumer) => {
      const least = LEAST_OF_QUEUE * queues.length;
      return `concurrency: ${name} needs ${least} or more, or 0, for each queue that it reads takes at least ${LEAST_OF_QUEUE}`;
    });
