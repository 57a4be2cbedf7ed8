import type { StoreOf } from '../../../shared/store/store.ts';

const WINDOW_SECONDS = 15 * 60;
/** Failures in 15 minutes: of an account from one address, and from one address in all. */
const MOST = { account: 10, address: 100 } as const;
/** Failures in a row from which on a try waits: of a known address, and of all unknown ones of an account together. */
const WAITS_FROM = { known: 10, unknown: 50 } as const;

type Asking = StoreOf<'limits.secondsToWait'>;
type Counting = StoreOf<'limits.countFailure'>;
type Throttling = Asking & Counting & StoreOf<'backoffs.wait' | 'backoffs.fail' | 'backoffs.succeed'>;
/** What is tried: each has a count of its own. */
type What = 'login' | 'reset';
type Window = { subject: string; most: number };

const windowsOf = (what: What, username: string, address: string): readonly Window[] => [
  { subject: `${what}:${username}:${address}`, most: MOST.account },
  { subject: `${what}:${address}`, most: MOST.address },
];

const longest = async (waits: readonly Promise<number>[]): Promise<number> => Math.max(...(await Promise.all(waits)));

const waitIn = ({ limits }: Asking, windows: readonly Window[], now: number): Promise<number> =>
  longest(windows.map(({ subject, most }) => limits.secondsToWait(subject, most, WINDOW_SECONDS, now)));

const countIn = ({ limits }: Counting, windows: readonly Window[], now: number): Promise<number> =>
  longest(
    windows.map(async ({ subject, most }) => {
      const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now);
      return count > most ? seconds : 0;
    }),
  );

/** Counts a failed try; gives the seconds to wait when it was one too many, else 0. */
export const countFailure = (
  store: Counting,
  what: What,
  username: string,
  address: string,
  now: number,
): Promise<number> => countIn(store, windowsOf(what, username, address), now);

type Login = { username: string; address: string; isKnown: boolean };

/**
 * How often a password is looked at, in seconds to wait (0: now):
 * - an address that logged in to the account before, or set its password by mail, waits longer and longer, by its own failures alone;
 * - any other is counted by itself and with the account, and all such addresses of the account wait together when they
 *   fail too often.
 * A known address is counted like the others too, apart and to no effect: else the time would tell which is known.
 */
export const loginThrottle = (store: Throttling, { username, address, isKnown }: Login, now: () => number) => {
  const windows = windowsOf('login', username, isKnown ? `${address} known` : address).map((window) =>
    isKnown ? { ...window, most: Number.POSITIVE_INFINITY } : window,
  );
  const row = isKnown ? `login:${username}:${address}` : `login:${username}`;
  const from = isKnown ? WAITS_FROM.known : WAITS_FROM.unknown;
  const seconds = async (wait: Promise<number>) => Math.ceil((await wait) / 1_000);
  const { backoffs } = store;
  return {
    /** Before the password is looked at. */
    before: () => longest([waitIn(store, windows, now()), seconds(backoffs.wait(row, now()))]),
    /** It was wrong. Above 0: too many others were, at the same time, so nothing is said of it. */
    failed: async () => (await countIn(store, windows, now())) || seconds(backoffs.fail(row, from, now())),
    /** It was right: above 0 as above. */
    succeeded: () => longest([waitIn(store, windows, now()), seconds(backoffs.succeed(row, now()))]),
  };
};

/** The same for codes, which name nobody: they count with the failed logins of the address. */
export const secondsOfAddress = ({ limits }: Asking, address: string, now: number): Promise<number> =>
  limits.secondsToWait(`login:${address}`, MOST.address, WINDOW_SECONDS, now);
export const countAddress = async ({ limits }: Counting, address: string, now: number): Promise<void> => {
  await limits.countFailure(`login:${address}`, WINDOW_SECONDS, now);
};
