import type { StoreOf } from '#shared/store/store.ts';

const WINDOW_SECONDS = 15 * 60;
/** The number of failures allowed within 15 minutes, per address and account, and per address in total. */
const MAX_FAILURES = { account: 10, address: 100 } as const;
/**
 * Consecutive failures before attempts are delayed. `known`: from one known address. `unknown`: from all unknown
 * addresses of an account together.
 */
const BACKOFF_FROM = { known: 10, unknown: 50 } as const;

type WaitStore = StoreOf<'limits.secondsToWait'>;
type CountStore = StoreOf<'limits.countFailure'>;
type ThrottleStore = WaitStore & CountStore & StoreOf<'backoffs.wait' | 'backoffs.fail' | 'backoffs.reset'>;
/** The limited operations. Each has a separate count. */
type Operation = 'login' | 'reset';
type Window = { subject: string; max: number };

const windowsOf = (operation: Operation, username: string, address: string): readonly Window[] => [
  { subject: `${operation}:${username}:${address}`, max: MAX_FAILURES.account },
  { subject: `${operation}:${address}`, max: MAX_FAILURES.address },
];

const longest = async (waits: readonly Promise<number>[]): Promise<number> => Math.max(...(await Promise.all(waits)));

const secondsToWait = ({ limits }: WaitStore, windows: readonly Window[], now: number): Promise<number> =>
  longest(windows.map(({ subject, max }) => limits.secondsToWait(subject, max, WINDOW_SECONDS, now)));

const countIn = ({ limits }: CountStore, windows: readonly Window[], now: number): Promise<number> =>
  longest(
    windows.map(async ({ subject, max }) => {
      const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now);
      return count > max ? seconds : 0;
    }),
  );

/** Counts a failed attempt. Returns the number of seconds to wait after too many attempts, or 0. */
export const countFailure = (
  store: CountStore,
  operation: Operation,
  { username, address }: Pick<Login, 'username' | 'address'>,
  now: number,
): Promise<number> => countIn(store, windowsOf(operation, username, address), now);

type Login = { username: string; address: string; isKnown: boolean };

/**
 * Limits how often an account's passwords are checked. All methods return the number of seconds to wait, or 0.
 * - An address is known if it has logged in to the account before, or has set the password with an emailed code. Only
 *   failures from that address delay it, with a backoff.
 * - Every other address has two limits, one for this account and one for all accounts. All of an account's unknown
 *   addresses share a backoff.
 * For a known address these limits are counted separately and not enforced. Otherwise, response times would reveal
 * which addresses are known.
 */
export const loginThrottle = (store: ThrottleStore, { username, address, isKnown }: Login, now: () => number) => {
  const windows = windowsOf('login', username, isKnown ? `${address} known` : address).map((window) =>
    isKnown ? { ...window, max: Number.POSITIVE_INFINITY } : window,
  );
  const row = isKnown ? `login:${username}:${address}` : `login:${username}`;
  const from = isKnown ? BACKOFF_FROM.known : BACKOFF_FROM.unknown;
  const seconds = async (wait: Promise<number>) => Math.ceil((await wait) / 1_000);
  const { backoffs } = store;
  return {
    /** Called before the password is checked. */
    before: () => longest([secondsToWait(store, windows, now()), seconds(backoffs.wait(row, now()))]),
    /**
     * Called after a wrong password. A wait means that too many other attempts failed at the same time, so the caller
     * must not learn the result.
     */
    failed: async () => (await countIn(store, windows, now())) || seconds(backoffs.fail(row, from, now())),
    /** Called after a correct password. If a wait applies, the caller must not learn the result either. */
    succeeded: () => longest([secondsToWait(store, windows, now()), seconds(backoffs.reset(row, now()))]),
  };
};

/**
 * Returns how many seconds an address must wait before entering a reset code. Codes do not name a user, so wrong codes
 * count as failed logins from the address.
 */
export const secondsOfAddress = ({ limits }: WaitStore, address: string, now: number): Promise<number> =>
  limits.secondsToWait(`login:${address}`, MAX_FAILURES.address, WINDOW_SECONDS, now);

/** Counts a wrong reset code from an address. */
export const countAddress = async ({ limits }: CountStore, address: string, now: number): Promise<void> => {
  await limits.countFailure(`login:${address}`, WINDOW_SECONDS, now);
};
