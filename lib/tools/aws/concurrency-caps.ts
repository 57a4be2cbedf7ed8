import type { ConcurrencyCaps } from '#lib/aws/settings/concurrency-caps.ts';
import type { AccountClient } from './account.ts';
import { withFallback } from './calls.ts';
import { freeConcurrency } from './checks.ts';
import type { Context } from './context.ts';
import { isDenied } from './failure.ts';
import { isSet, readStage } from './stage.ts';

const SETTING = 'concurrencyCaps';

/** Returns the part of the account's concurrency available to each capped function. */
const capsOf = (total: number): ConcurrencyCaps => {
  const share = (part: number): number => Math.max(1, Math.floor(total / part));
  return { feed: share(10), console: share(20), 'personal-data': share(50) };
};

const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/**
 * Returns a stage's settings with caps for the functions that falls do not depend on. Adds no caps if the settings
 * already have caps, if the account limit leaves too little beyond the reservations, or if the credentials do not allow
 * reading the limit. `own` returns what the deployed stack already reserves.
 */
export const withCaps = async (
  context: Context,
  { concurrency }: Pick<AccountClient, 'concurrency'>,
  own: () => Promise<number>,
): Promise<Context> => {
  if (await isSet(context, SETTING)) return context;
  const known = await withFallback(Promise.all([concurrency(), own()]), isDenied, null);
  if (!known) return context;
  const [account, ownNow] = known;
  const caps = capsOf(account.total);
  const reserved = sumOf((await readStage(context)).concurrency);
  const isEnough = reserved + sumOf(caps) <= freeConcurrency(account, ownNow);
  return isEnough ? { ...context, [SETTING]: JSON.stringify(caps) } : context;
};
