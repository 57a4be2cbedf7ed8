import { consumers } from '#functions/index.ts';
import type { Consumer } from '#shared/queue/consumer.ts';
import { parts, wholeNumber } from '#shared/settings/kinds.ts';
import type { LambdaName } from '../functions/lambdas.ts';

/**
 * The least maximum concurrency that Lambda accepts for a queue; the largest is 1,000.
 * https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html
 */
const LEAST_OF_QUEUE = 2;

/**
 * The functions whose concurrency can be reserved, which is also their limit. With it, slow lists and guessed logins
 * cannot take the capacity that falls need. An account keeps 100 unreserved, so a new account, which has 10 in all, can
 * reserve nothing.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export const NOTHING_RESERVED = {
  devices: 0,
  process: 0,
  deliver: 0,
  ingest: 0,
  sweep: 0,
} satisfies Partial<Record<LambdaName, number>>;
type Concurrency = Readonly<typeof NOTHING_RESERVED>;

export const concurrency = () => {
  const reserved = wholeNumber(0, 10_000);
  return parts<Concurrency>(NOTHING_RESERVED, {
    devices: reserved,
    process: reserved,
    deliver: reserved,
    ingest: reserved,
    sweep: reserved,
  });
};

/** The reserved concurrency of a function; 0 when nothing is reserved. */
export const reservedFor = (name: string, reservations: Concurrency): number =>
  (reservations as Readonly<Record<string, number>>)[name] ?? 0;

/**
 * The maximum concurrency of each queue of a consumer: that of its contract, and for all of its queues together no
 * more than is reserved. Otherwise Lambda would receive messages that it may not hand over; these count as received,
 * and would become dead letters without having been tried.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const shareOfQueue = ({ name, queues, concurrency: most }: Consumer, reservations: Concurrency): number => {
  const all = reservedFor(name, reservations);
  return all === 0 ? most : Math.min(most, Math.floor(all / queues.length));
};

/** Gives an error sentence for each function whose reservation is too small for its queues. */
export const tooSmall = (reservations: Concurrency): string[] =>
  consumers
    .filter((consumer: Consumer) => shareOfQueue(consumer, reservations) < LEAST_OF_QUEUE)
    .map(({ name, queues }: Consumer) => {
      const least = LEAST_OF_QUEUE * queues.length;
      return `concurrency: ${name} needs ${least} or more, or 0, for each queue that it reads takes at least ${LEAST_OF_QUEUE}`;
    });
