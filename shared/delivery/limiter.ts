/**
 * Lets `most` at a time through for each key. Whoever comes then waits for a turn, in the order of coming; gives what to
 * call at the end (once counts), or null when `patience` was over first.
 */
export type Limiter = { enter: (key: string, patience: () => Promise<unknown>) => Promise<(() => void) | null> };

const once = (run: () => void) => {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
};

export const createLimiter = (most: number): Limiter => {
  const rooms = new Map<string, { busy: number; waiting: (() => void)[] }>();
  const enter: Limiter['enter'] = async (key, patience) => {
    const room = rooms.get(key) ?? { busy: 0, waiting: [] };
    rooms.set(key, room);
    const leave = once(() => {
      const next = room.waiting.shift();
      if (next) return next();
      room.busy -= 1;
      if (room.busy === 0) rooms.delete(key);
    });
    if (room.busy < most) {
      room.busy += 1;
      return leave;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    room.waiting.push(resolve);
    await Promise.race([promise, patience()]);
    const at = room.waiting.indexOf(resolve);
    if (at === -1) return leave;
    room.waiting.splice(at, 1);
    return null;
  };
  return { enter };
};
