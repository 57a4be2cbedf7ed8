/** A turn at what belongs to a key, with what those share who have one at the same time. */
export type Turn<R> = {
  room: R;
  /** Is somebody waiting for a turn here? Has nobody one any more? */
  isWanted: () => boolean;
  isEmpty: () => boolean;
  /** The turn is over, once: the next one begins. */
  leave: () => void;
};

/**
 * Lets `most` at a time through for each key. Whoever comes then waits for a turn, in the order of coming; null when
 * `patience` was over first.
 */
export type Limiter<R> = { enter: (key: string, patience: () => Promise<unknown>) => Promise<Turn<R> | null> };

const once = (run: () => void) => {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
};

/** `furnish` makes what is shared by those who have a turn; it goes when the last of them leaves. */
export const createLimiter = <R>(most: number, furnish: () => R): Limiter<R> => {
  const rooms = new Map<string, { busy: number; waiting: (() => void)[]; room: R }>();
  const enter: Limiter<R>['enter'] = async (key, patience) => {
    const place = rooms.get(key) ?? { busy: 0, waiting: [], room: furnish() };
    rooms.set(key, place);
    const leave = once(() => {
      const next = place.waiting.shift();
      if (next) return next();
      place.busy -= 1;
      if (place.busy === 0) rooms.delete(key);
    });
    const isWanted = () => place.waiting.length > 0;
    const turn = { room: place.room, isWanted, isEmpty: () => place.busy === 0, leave };
    if (place.busy < most) {
      place.busy += 1;
      return turn;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    place.waiting.push(resolve);
    await Promise.race([promise, patience()]);
    const at = place.waiting.indexOf(resolve);
    if (at === -1) return turn;
    place.waiting.splice(at, 1);
    return null;
  };
  return { enter };
};
