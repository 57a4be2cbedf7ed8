import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

/**
 * Runs shell commands one after the other, with node_modules/.bin in the path. Returns the first failing command's exit
 * code, or 0.
 */
export const runShellCommands = (steps: readonly string[], env: NodeJS.ProcessEnv): number => {
  const PATH = ['node_modules/.bin', env.PATH ?? ''].join(delimiter);
  for (const step of steps) {
    const { status } = spawnSync(step, { shell: true, stdio: 'inherit', env: { ...env, PATH } });
    if (status !== 0) return status ?? 1;
  }
  return 0;
};
