import { AsyncLocalStorage } from 'node:async_hooks';
import type { Runtime } from '#shared/runtime/deps.ts';

class Died extends Error {
  override name = 'Died';
}

type Life = { death: Died | null };

/**
 * Creates process lives, one per invocation. A dead process neither responds nor calls anything. The invocation fails,
 * and the messages are redelivered after their visibility timeout.
 */
export const createLives = () => {
  const lives = new AsyncLocalStorage<Life>();
  const isDead = (): boolean => lives.getStore()?.death != null;
  const alive =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      const { death } = lives.getStore() ?? { death: null };
      if (death) throw death;
      return call(...args);
    };
  /** Wraps calls so that they fail in dead processes. */
  const allAlive = <T extends object>(calls: T): T =>
    Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, alive(call as never)])) as T;
  return {
    isDead,
    /** Kills the calling process. */
    die: (place: string): never => {
      const death = new Died(`at ${place}`);
      const life = lives.getStore();
      if (life) life.death = death;
      throw death;
    },
    around: <T>(invocation: () => Promise<T>): Promise<T> => {
      const life: Life = { death: null };
      return lives.run(life, async () => {
        const result = await invocation();
        if (life.death) throw life.death;
        return result;
      });
    },
    /** Returns a host whose processes do nothing once they are dead. */
    wrap: (runtime: Runtime): Runtime => ({
      ...runtime,
      table: allAlive(runtime.table),
      queues: allAlive(runtime.queues),
    }),
  };
};
export type Lives = ReturnType<typeof createLives>;
