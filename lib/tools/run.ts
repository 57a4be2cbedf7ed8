import { withSentences } from './aws/failure.ts';
import { Refusal } from './refusal.ts';

/**
 * Runs a tool and gives the exit code of its process: what the tool or AWS refuses is one sentence without a stack, and
 * 1; so is a bug, by its name. A tool that gives false has said what is wrong: 1 as well.
 */
export const runTool = async (run: () => Promise<boolean>, err: (line: string) => void): Promise<number> => {
  try {
    return (await withSentences(run)) ? 0 : 1;
  } catch (error) {
    const { name = 'Error', message = String(error) } = error as Partial<Error>;
    err(error instanceof Refusal ? message : `${name}: ${message}`);
    return 1;
  }
};
