import { consumers } from '#functions/index.ts';
import type { Consumer } from '#shared/queue/consumer.ts';
import { parts, wholeNumber } from '#shared/settings/kinds.ts';
import type { LambdaName } from '../functions/lambdas.ts';
import type { ConcurrencyCaps } from '../settings/concurrency-caps.ts';

/**
 * The lowest maximum concurrency Lambda accepts for a queue; the highest is 1,000.
 * https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html
 */
const MIN_PER_QUEUE = 2;

/**
 * Functions whose concurrency can be reserved. A reservation is also a limit. It keeps slow lists and guessed logins
 * from taking the capacity needed for falls. Lambda keeps 100 unreserved, so a new account, which has 10 in total,
 * cannot reserve any.
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

export const concurrencySchema = () => {
  const reserved = wholeNumber(0, 10_000);
  return parts<Concurrency>(NOTHING_RESERVED, {
    devices: reserved,
    process: reserved,
    deliver: reserved,
    ingest: reserved,
    sweep: reserved,
  });
};

/** Returns the reserved concurrency for a function, or 0 if nothing is reserved. */
export const reservedConcurrencyOf = (name: string, reservations: Concurrency | ConcurrencyCaps): number =>
  (reservations as Readonly<Record<string, number>>)[name] ?? 0;

/**
 * Returns the maximum concurrency for each queue of a consumer: the maximum in the contract, limited to an equal share
 * of the reserved concurrency. Otherwise Lambda would receive messages it cannot pass to the function. Each receive
 * counts, so such messages would reach the dead-letter queue without a single attempt.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export const maxConcurrencyPerQueue = (
  { name, queues, concurrency: max }: Consumer,
  reservations: Concurrency,
): number => {
  const reserved = reservedConcurrencyOf(name, reservations);
  return reserved === 0 ? max : Math.min(max, Math.floor(reserved / queues.length));
};

/** Returns an error message for each function whose reservation is too small for the queues. */
export const reservationErrors = (reservations: Concurrency): string[] =>
  consumers
    .filter((consumer: Consumer) => maxConcurrencyPerQueue(consumer, reservations) < MIN_PER_QUEUE)
    .map(({ name, queues }: Consumer) => {
      const min = MIN_PER_QUEUE * queues.length;
      return `concurrency: ${name} must be 0 or at least ${min}, because each of its queues needs ${MIN_PER_QUEUE}`;
    });
