import { stageFrom } from '#lib/aws/settings/stage.ts';
import { UserError } from '../user-error.ts';
import { readJson } from './cdk.ts';
import type { Context } from './context.ts';

const inFile = async (): Promise<Readonly<Record<string, unknown>>> => (await readJson('cdk.json')).context ?? {};

/** Whether a stage setting is set, by an option or in cdk.json. */
export const isSet = async (context: Context, name: string): Promise<boolean> =>
  name in context || name in (await inFile());

/**
 * Reads a stage's settings as the CDK will see them, including those in cdk.json. Throws a UserError listing all
 * invalid settings.
 */
export const readStage = async (context: Context): Promise<ReturnType<typeof stageFrom>> => {
  const stored = await inFile();
  try {
    return stageFrom((key) => context[key] ?? stored[key], Object.keys({ ...stored, ...context }));
  } catch (error) {
    throw new UserError((error as Error).message, { cause: error });
  }
};
