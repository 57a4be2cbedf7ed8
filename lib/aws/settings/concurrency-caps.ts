import { parts, wholeNumber } from '#shared/settings/kinds.ts';
import type { LambdaName } from '../functions/lambdas.ts';

/**
 * Functions whose concurrency can be capped: callers use them to wait for messages, download large files or load pages.
 * Without a cap, they could use up the concurrency needed for falls. Functions that falls depend on are never included.
 * The export worker is bounded by its queue.
 */
export const NOTHING_CAPPED = { feed: 0, console: 0, 'personal-data': 0 } satisfies Partial<Record<LambdaName, number>>;
export type ConcurrencyCaps = Readonly<typeof NOTHING_CAPPED>;

export const concurrencyCapsSchema = () => {
  const cap = wholeNumber(0, 10_000);
  return parts<ConcurrencyCaps>(NOTHING_CAPPED, { feed: cap, console: cap, 'personal-data': cap });
};
