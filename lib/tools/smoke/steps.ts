import { reasonOf } from '#lib/client/problem.ts';
import { UserError } from '../user-error.ts';

type Undo = { what: string; undo: () => Promise<unknown> };

const milliseconds = (ms: number) => `${Math.round(ms)} ms`.padStart(9);

/** Returns why a call failed. `fetch` puts the reason into the error's cause. */
const failureText = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  const why = cause?.code ?? cause?.message;
  if (message !== 'fetch failed') return `${reasonOf(error)}${why ? ` (${why})` : ''}`;
  return `nothing responds there (${why}): check --url, which \`npm run deploy\` prints, or start a local host with \`npm start\``;
};

/**
 * Runs steps and prints each step's duration. `cleanUp` removes everything created, newest first, even after errors. If
 * something could not be removed, it prints what and returns false.
 */
export const createSteps = (say: (line: string) => void, now: () => number, signal: AbortSignal) => {
  const undos: Undo[] = [];
  const timed = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    const start = now();
    try {
      const result = await run();
      say(`${milliseconds(now() - start)}  ${what}`);
      return result;
    } catch (error) {
      throw new UserError(`${what}: ${failureText(error)}`, { cause: error });
    }
  };
  return {
    step: async <T>(what: string, run: () => Promise<T>): Promise<T> => {
      if (signal.aborted) throw new UserError(`stopped before: ${what}`);
      return timed(what, run);
    },
    undoLater: (what: string, undo: Undo['undo']) => void undos.push({ what, undo }),
    cleanUp: async (): Promise<boolean> => {
      let isClean = true;
      for (const { what, undo } of undos.toReversed())
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
