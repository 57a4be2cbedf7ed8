import type { StoreOf } from '../../shared/store/store.ts';

const WINDOW_SECONDS = 15 * 60;
/** Failed logins in 15 minutes: of an account from one address, and from one address in all. */
const MOST = { account: 10, address: 100 } as const;

type Asking = StoreOf<'limits.secondsToWait'>;
type Counting = StoreOf<'limits.countFailure'>;
/** What is tried: each has a count of its own. */
type What = 'login' | 'reset';

const subjectsOf = (what: What, username: string, address: string) =>
  [
    { subject: `${what}:${username}:${address}`, most: MOST.account },
    { subject: `${what}:${address}`, most: MOST.address },
  ] as const;

/** Seconds until a try for that name from that address is looked at; 0: now. */
export const secondsToWait = async (
  { limits }: Asking,
  what: What,
  username: string,
  address: string,
  now: number,
): Promise<number> => {
  const waits = subjectsOf(what, username, address).map(({ subject, most }) =>
    limits.secondsToWait(subject, most, WINDOW_SECONDS, now),
  );
  return Math.max(...(await Promise.all(waits)));
};

/** Counts a failed try; gives the seconds to wait when it was one too many, else 0. */
export const countFailure = async (
  { limits }: Counting,
  what: What,
  username: string,
  address: string,
  now: number,
): Promise<number> => {
  const counts = subjectsOf(what, username, address).map(async ({ subject, most }) => {
    const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now);
    return count > most ? seconds : 0;
  });
  return Math.max(...(await Promise.all(counts)));
};

/** The same for codes, which name nobody: they count with the failed logins of the address. */
export const secondsOfAddress = ({ limits }: Asking, address: string, now: number): Promise<number> =>
  limits.secondsToWait(`login:${address}`, MOST.address, WINDOW_SECONDS, now);
export const countAddress = async ({ limits }: Counting, address: string, now: number): Promise<void> => {
  await limits.countFailure(`login:${address}`, WINDOW_SECONDS, now);
};
