import { enableCompileCache } from 'node:module';

// Compiling takes half the startup time. The compile cache saves that time on later starts, so all other modules are
// imported after this line.
enableCompileCache();

type Print = { out: (line: string) => void; err: (line: string) => void };

/** Runs `npm start` with command-line arguments. An error during startup is printed and ends the process. */
export const start = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { out, err }: Print,
): Promise<void> => {
  const [{ readCommandLine }, { helpText }] = await Promise.all([import('./command-line.ts'), import('./help.ts')]);
  readCommandLine({}, helpText(), { out, err, args });
  const { runCloud } = await import('./main.ts');
  try {
    await runCloud(env, out);
  } catch (error) {
    err(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
};
