/** ms */
const SUSPECT_FOR = 60_000;
const MOST = 1_000;

/**
 * Accounts whose dead or forged tokens were shown lately, in the memory of this process. Calls that name one of these
 * are counted once it is known whose they are: so a flood of such tokens leaves the account what it may call.
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
