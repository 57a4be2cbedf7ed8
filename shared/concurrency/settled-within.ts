import { machine } from './machine.ts';

/** Resolves when `work` has succeeded or failed, or after `ms`, whichever comes first. */
export const settledWithin = (work: Promise<unknown>, ms: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = machine.after(ms, resolve);
  const end = () => {
    cancel();
    resolve();
  };
  work.then(end, end);
  return promise;
};
