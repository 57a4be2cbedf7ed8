/** The right to be one of those at work on a key, with what all who have it at the same time share. */
export type Permit<S> = {
  shared: S;
  /** Does somebody wait for a permit of this key? Does nobody have one any more? */
  isWanted: () => boolean;
  isEmpty: () => boolean;
  /** Gives it back; only the first call counts. */
  release: () => void;
};

/**
 * Hands out `most` permits at a time for each key, to those who wait in the order in which they came; null to whom
 * `acquireTimeout` was over first.
 */
export type Semaphore<S> = {
  acquire: (key: string, acquireTimeout: () => Promise<unknown>) => Promise<Permit<S> | null>;
};

const once = (run: () => void) => {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
};

/** `createShared` makes what those share who have a permit of the same key; it goes when the last of them is released. */
export const createSemaphore = <S>(most: number, createShared: () => S): Semaphore<S> => {
  const keys = new Map<string, { busy: number; waiting: (() => void)[]; shared: S }>();
  const acquire: Semaphore<S>['acquire'] = async (key, acquireTimeout) => {
    const own = keys.get(key) ?? { busy: 0, waiting: [], shared: createShared() };
    keys.set(key, own);
    const release = once(() => {
      const next = own.waiting.shift();
      if (next) return next();
      own.busy -= 1;
      if (own.busy === 0) keys.delete(key);
    });
    const isWanted = () => own.waiting.length > 0;
    const permit = { shared: own.shared, isWanted, isEmpty: () => own.busy === 0, release };
    if (own.busy < most) {
      own.busy += 1;
      return permit;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    own.waiting.push(resolve);
    await Promise.race([promise, acquireTimeout()]);
    const at = own.waiting.indexOf(resolve);
    if (at === -1) return permit;
    own.waiting.splice(at, 1);
    return null;
  };
  return { acquire };
};
