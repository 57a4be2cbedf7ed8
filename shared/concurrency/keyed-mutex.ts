import { settledWithin } from './settled-within.ts';

/**
 * Runs calls with the same key one after the other within this process, in their order. A call that takes longer than
 * `longest` ms goes on, but the next one begins. So this only saves work: what must not happen twice needs a conditional
 * write as well.
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
