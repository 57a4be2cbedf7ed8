import type { StoreOf } from '#shared/store/store.ts';

const WINDOW_SECONDS = 15 * 60;
/** How many failures are allowed in 15 minutes: for an account from one address, and from one address in total. */
const MOST = { account: 10, address: 100 } as const;
/**
 * The number of failures in a row after which each try has to wait: for a known address, and for all unknown addresses
 * of an account together.
 */
const WAITS_FROM = { known: 10, unknown: 50 } as const;

type Asking = StoreOf<'limits.secondsToWait'>;
type Counting = StoreOf<'limits.countFailure'>;
type Throttling = Asking & Counting & StoreOf<'backoffs.wait' | 'backoffs.fail' | 'backoffs.succeed'>;
/** The operations that are limited. Each has its own counts. */
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

/** Counts a failed try. It gives the seconds to wait if there were too many, otherwise 0. */
export const countFailure = (
  store: Counting,
  what: What,
  { username, address }: Pick<Login, 'username' | 'address'>,
  now: number,
): Promise<number> => countIn(store, windowsOf(what, username, address), now);

type Login = { username: string; address: string; isKnown: boolean };

/**
 * Limits how often passwords of an account are checked. All methods give the seconds to wait, and 0 for no wait.
 * - An address is known if it logged in to the account before, or if it set the password by a code from a mail. It
 * waits longer and longer after its own failures only.
 * - Every other address has two limits, for this account and for all accounts, and shares a backoff with all unknown
 * addresses of the account.
 * For a known address those limits are counted separately and without effect, because otherwise the time of the answer
 * would tell which addresses are known.
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
    /** Called before the password is checked. */
    before: () => longest([waitIn(store, windows, now()), seconds(backoffs.wait(row, now()))]),
    /**
     * Called after a wrong password. Above 0, too many others failed at the same time, so the caller must not learn the
     * result.
     */
    failed: async () => (await countIn(store, windows, now())) || seconds(backoffs.fail(row, from, now())),
    /** Called after the right password. Above 0, the caller must not learn the result either. */
    succeeded: () => longest([waitIn(store, windows, now()), seconds(backoffs.succeed(row, now()))]),
  };
};

/**
 * Gives the wait of an address for reset codes. Codes name no user, so they count with the failed logins of the
 * address.
 */
export const secondsOfAddress = ({ limits }: Asking, address: string, now: number): Promise<number> =>
  limits.secondsToWait(`login:${address}`, MOST.address, WINDOW_SECONDS, now);
export const countAddress = async ({ limits }: Counting, address: string, now: number): Promise<void> => {
  await limits.countFailure(`login:${address}`, WINDOW_SECONDS, now);
};
