import { settledWithin } from './settled-within.ts';

/**
 * Runs what has the same key one after the other, in the order of the calls, within this process. Nobody holds up the
 * next one for longer than `longest` ms: what takes more runs on, but the next begins. So this spares work, and what must
 * not happen twice needs a condition besides.
 */
export const keyedMutex = (longest: number) => {
  const last = new Map<string | number, Promise<unknown>>();
  return async <T>(key: string | number, run: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const mine = before ? before.then(run) : run();
    const over = before ? before.then(() => settledWithin(mine, longest)) : settledWithin(mine, longest);
    last.set(key, over);
    void over.then(() => last.get(key) === over && last.delete(key));
    return mine;
  };
};
