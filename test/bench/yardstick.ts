import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The commit that the bars of speed are ratios to: the pipeline was whole, and the table an engine behind HTTP. */
const COMMIT = '64f278f';
const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/**
 * Puts the sources of the yardstick into a folder, with the packages of this checkout. Gives the file that starts its
 * host; null where git does not have the commit, as in a shallow clone.
 */
export const checkOutYardstick = async (folder: string): Promise<string | null> => {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'yardstick.tar');
  try {
    await run('git', ['archive', '--output', archive, COMMIT], { cwd: root });
  } catch {
    return null;
  }
  const checkout = join(folder, 'yardstick');
  await mkdir(checkout);
  await run('tar', ['-xf', archive, '-C', checkout]);
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  return join(checkout, 'bin/local.ts');
};
