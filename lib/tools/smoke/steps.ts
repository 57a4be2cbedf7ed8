import { Refusal } from '../refusal.ts';

type Undo = { what: string; undo: () => Promise<unknown> };

const milliseconds = (ms: number) => `${Math.round(ms)} ms`.padStart(9);

/** Why a call failed, in words: what `fetch` says is in its cause. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  const why = cause?.code ?? cause?.message;
  return `${message ?? error}${why ? ` (${why})` : ''}`;
};

/**
 * Does one thing after the other and says of each how long it took; `cleanUp` undoes all that was made, the newest first,
 * whatever came in between, and gives false when something could not be undone, which it names.
 */
export const stepwise = (say: (line: string) => void, now: () => number, signal: AbortSignal) => {
  const made: Undo[] = [];
  const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    const start = now();
    try {
      const result = await run();
      say(`${milliseconds(now() - start)}  ${what}`);
      return result;
    } catch (error) {
      throw new Refusal(`${what}: ${reasonOf(error)}`, { cause: error });
    }
  };
  return {
    step: async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      if (signal.aborted) throw new Refusal(`stopped before: ${what}`);
      return timed(what, run);
    },
    undoLater: (what: string, undo: Undo['undo']) => void made.push({ what, undo }),
    cleanUp: async (): Promise<boolean> => {
      let isClean = true;
      for (const { what, undo } of made.toReversed())
        try {
          await timed(`clean up: ${what}`, undo);
        } catch (error) {
          isClean = false;
          say(`           NOT CLEAN: ${(error as Error).message}`);
        }
      return isClean;
    },
  };
};
export type Steps = Pick<ReturnType<typeof stepwise>, 'step' | 'undoLater'>;
