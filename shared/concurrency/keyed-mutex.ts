import { settledWithin } from './settled-within.ts';

/**
 * Runs calls with the same key one after the other within this process. If a call takes longer than `maxMs`, it
 * continues, but the next one begins. This only saves work, so anything that must not happen twice still needs a
 * conditional write.
 */
export const keyedMutex = (maxMs: number) => {
  const last = new Map<string | number, Promise<unknown>>();
  return async <T>(key: string | number, run: () => Promise<T>): Promise<T> => {
    const before = last.get(key);
    const result = before ? before.then(run) : run();
    const done = before ? before.then(() => settledWithin(result, maxMs)) : settledWithin(result, maxMs);
    last.set(key, done);
    void done.then(() => last.get(key) === done && last.delete(key));
    return result;
  };
};
