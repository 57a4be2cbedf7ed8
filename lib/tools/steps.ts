import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

/**
 * Runs commands of a shell one after the other, with the output of each as it comes; those of node_modules/.bin are
 * found. Gives the exit code of the first that fails, and 0 when none does.
 */
export const runSteps = (steps: readonly string[], env: NodeJS.ProcessEnv): number => {
  const PATH = ['node_modules/.bin', env.PATH ?? ''].join(delimiter);
  for (const step of steps) {
    const { status } = spawnSync(step, { shell: true, stdio: 'inherit', env: { ...env, PATH } });
    if (status !== 0) return status ?? 1;
  }
  return 0;
};
