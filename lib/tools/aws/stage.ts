import { stageFrom } from '#lib/aws/settings/stage.ts';
import { UserError } from '../user-error.ts';
import { readJson } from './cdk.ts';
import type { Context } from './context.ts';

/**
 * Reads the settings of a stage as the CDK will see them, including those in cdk.json. Throws a Refusal that lists all
 * invalid settings.
 */
export const readStage = async (context: Context): Promise<ReturnType<typeof stageFrom>> => {
  const { context: inFile = {} } = await readJson('cdk.json');
  try {
    return stageFrom((key) => context[key] ?? inFile[key], Object.keys({ ...inFile, ...context }));
  } catch (error) {
    throw new UserError((error as Error).message, { cause: error });
  }
};
