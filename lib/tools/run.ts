import { explainingAwsErrors } from './aws/failure.ts';
import { UserError } from './user-error.ts';

/**
 * Runs a tool and returns the exit code: 0 if the tool returns true, and 1 if it throws, or returns false after
 * printing what is wrong. A UserError or an AWS error is printed as one sentence, any other error with its name.
 */
export const runTool = async (run: () => Promise<boolean>, err: (line: string) => void): Promise<number> => {
  try {
    return (await explainingAwsErrors(run)) ? 0 : 1;
  } catch (error) {
    const { name = 'Error', message = String(error) } = error as Partial<Error>;
    err(error instanceof UserError ? message : `${name}: ${message}`);
    return 1;
  }
};
