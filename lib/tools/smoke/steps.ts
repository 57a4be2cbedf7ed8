import { reasonOf } from '#lib/client/problem.ts';
import { Refusal } from '../refusal.ts';

type Undo = { what: string; undo: () => Promise<unknown> };

const milliseconds = (ms: number) => `${Math.round(ms)} ms`.padStart(9);

/** The reason of a failed call. `fetch` puts it in the cause of its error. */
const failureText = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  const why = cause?.code ?? cause?.message;
  if (message !== 'fetch failed') return `${reasonOf(error)}${why ? ` (${why})` : ''}`;
  return `nobody answers there (${why}). Look at --url, which \`npm run deploy\` prints, or start a cloud here by \`npm start\``;
};

/**
 * Runs steps one after the other and prints the duration of each. `cleanUp` undoes everything that was created, the
 * newest first, even after errors. It returns false when something could not be undone, and prints what.
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
      throw new Refusal(`${what}: ${failureText(error)}`, { cause: error });
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
