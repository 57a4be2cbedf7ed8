/** A semaphore permit for a key. All current permits for a key have the same `shared` object. */
export type Permit<S> = {
  shared: S;
  /**
   * `hasWaiters`: whether a caller is waiting for a permit for this key. `isEmpty`: whether no permit for this key is
   * held.
   */
  hasWaiters: () => boolean;
  isEmpty: () => boolean;
  /** Releases the permit. Further calls do nothing. */
  release: () => void;
};

/**
 * Grants a limited number of permits per key, in call order, except that calls with `isFirst` come before all others. A
 * caller gets null if the `acquireTimeout` promise resolves first.
 */
export type Semaphore<S> = {
  acquire: (key: string, acquireTimeout: () => Promise<unknown>, isFirst?: boolean) => Promise<Permit<S> | null>;
};

type Waiting = { grant: () => void; isFirst: boolean };

const once = (run: () => void) => {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
};

/**
 * Creates a semaphore with `limit` permits per key. `createShared` creates the object shared by the permits for a key,
 * which is dropped when the last permit is released.
 */
export const createSemaphore = <S>(limit: number, createShared: () => S): Semaphore<S> => {
  const keys = new Map<string, { busy: number; waiting: Waiting[]; shared: S }>();
  const acquire: Semaphore<S>['acquire'] = async (key, acquireTimeout, isFirst = false) => {
    const own = keys.get(key) ?? { busy: 0, waiting: [], shared: createShared() };
    keys.set(key, own);
    const release = once(() => {
      const next = own.waiting.shift();
      if (next) return next.grant();
      own.busy -= 1;
      if (own.busy === 0) keys.delete(key);
    });
    const hasWaiters = () => own.waiting.length > 0;
    const permit = { shared: own.shared, hasWaiters, isEmpty: () => own.busy === 0, release };
    if (own.busy < limit) {
      own.busy += 1;
      return permit;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { grant: resolve, isFirst };
    const place = isFirst ? own.waiting.filter((other) => other.isFirst).length : own.waiting.length;
    own.waiting.splice(place, 0, waiter);
    await Promise.race([promise, acquireTimeout()]);
    const at = own.waiting.indexOf(waiter);
    if (at === -1) return permit;
    own.waiting.splice(at, 1);
    return null;
  };
  return { acquire };
};
