/** Runs what has the same key one after the other, within this process. */
export const oneAtATime = () => {
  const last = new Map<number, Promise<unknown>>();
  return <T>(key: number, run: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(run, run);
    last.set(key, mine);
    const forget = () => last.get(key) === mine && last.delete(key);
    mine.then(forget, forget);
    return mine;
  };
};
