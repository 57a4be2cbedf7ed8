import { withSentences } from './aws/failure.ts';
import { Refusal } from './refusal.ts';

/**
 * Runs a tool and gives the exit code of its process. The code is 0 when the tool gives true, and 1 when it gives
 * false, after it has printed what is wrong. It is also 1 for an error: a Refusal or an error of AWS is printed as
 * one sentence without a stack trace, a bug with its name.
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
