import { AsyncLocalStorage } from 'node:async_hooks';
import type { Runtime } from '#shared/runtime/deps.ts';

class Died extends Error {
  override name = 'Died';
}

type Life = { death: Died | null };

/**
 * The lives of processes, one for each invocation. A dead process catches nothing, answers nothing and calls nothing:
 * its invocation fails, and its messages come again after their visibility timeout.
 */
export const createLives = () => {
  const lives = new AsyncLocalStorage<Life>();
  const isDead = (): boolean => lives.getStore()?.death != null;
  const alive =
    <A extends unknown[], R>(call: (...given: A) => R) =>
    (...given: A): R => {
      const { death } = lives.getStore() ?? { death: null };
      if (death) throw death;
      return call(...given);
    };
  /** Lets only living processes call. */
  const allAlive = <T extends object>(calls: T): T =>
    Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, alive(call as never)])) as T;
  return {
    isDead,
    /** Ends the process in which it is called. */
    die: (place: string): never => {
      const death = new Died(`at ${place}`);
      const life = lives.getStore();
      if (life) life.death = death;
      throw death;
    },
    around: <T>(invocation: () => Promise<T>): Promise<T> => {
      const life: Life = { death: null };
      return lives.run(life, async () => {
        const answer = await invocation();
        if (life.death) throw life.death;
        return answer;
      });
    },
    /** A host whose processes do nothing after their death. */
    wrap: (runtime: Runtime): Runtime => ({
      ...runtime,
      table: allAlive(runtime.table),
      queues: allAlive(runtime.queues),
    }),
  };
};
export type Lives = ReturnType<typeof createLives>;
