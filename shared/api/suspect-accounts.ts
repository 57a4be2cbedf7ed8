/** How long (ms) an account stays suspect. */
const SUSPECT_MS = 60_000;
const MAX_SUSPECTS = 1_000;

/**
 * Remembers, in process memory, accounts for which an invalid token was recently sent. Requests for such an account are
 * counted only once the token has proved valid, so a flood of invalid tokens cannot use up the rate limit of the
 * account.
 */
export const createSuspectAccounts = () => {
  const suspects = new Map<string, number>();
  return {
    add: (accountKey: string, now: number): void => {
      suspects.delete(accountKey);
      suspects.set(accountKey, now + SUSPECT_MS);
      const [oldest] = suspects.keys();
      if (suspects.size > MAX_SUSPECTS && oldest !== undefined) suspects.delete(oldest);
    },
    has: (accountKey: string, now: number): boolean => (suspects.get(accountKey) ?? 0) > now,
  };
};
export type SuspectAccounts = ReturnType<typeof createSuspectAccounts>;
