/** Resolves when `work` has ended, well or badly, or after so many ms: whichever comes first. */
export const endOf = (work: Promise<unknown>, ms: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const end = () => {
    clearTimeout(timer);
    resolve();
  };
  work.then(end, end);
  return promise;
};
