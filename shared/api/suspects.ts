/** For how long (ms) an account is a suspect. */
const SUSPECT_FOR = 60_000;
const MOST = 1_000;

/**
 * Remembers accounts for which an invalid token was shown lately, in the memory of this process. Calls with the key of
 * such an account are counted only after their token was found to be valid, so that a flood of invalid tokens cannot
 * use up the account's rate.
 */
export const createSuspects = () => {
  const suspects = new Map<string, number>();
  return {
    add: (accountKey: string, now: number): void => {
      suspects.delete(accountKey);
      suspects.set(accountKey, now + SUSPECT_FOR);
      const [oldest] = suspects.keys();
      if (suspects.size > MOST && oldest !== undefined) suspects.delete(oldest);
    },
    has: (accountKey: string, now: number): boolean => (suspects.get(accountKey) ?? 0) > now,
  };
};
export type Suspects = ReturnType<typeof createSuspects>;
