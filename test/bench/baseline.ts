import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * An earlier commit in this repository. CPU and rates are reported as ratios to it, because machines differ and are
 * shared.
 */
export const BASELINE = '64f278f';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');

const missingOf = async (folder: string): Promise<string[]> => {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, object>;
  // In the baseline, the table engine was an optional dependency.
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return names.filter((name) => !existsSync(join(modules, name)));
};

/**
 * Checks out the baseline, to run it with this checkout's modules. Returns the program's path, or the reason there is
 * none.
 */
export const checkOutBaseline = async (into: string): Promise<{ program: string } | { why: string }> => {
  const folder = join(into, `baseline-${BASELINE}`);
  const archive = `${folder}.tar`;
  await mkdir(folder, { recursive: true });
  try {
    await run('git', ['archive', '--output', archive, BASELINE], { cwd: root });
    await run('tar', ['-xf', archive, '-C', folder]);
  } catch (error) {
    const [line] = (error as { stderr?: string }).stderr?.split('\n') ?? [];
    return { why: `no baseline, because the repository lacks commit ${BASELINE} (${line ?? error})` };
  }
  const missing = await missingOf(folder);
  if (missing.length > 0)
    return {
      why: `no baseline, because commit ${BASELINE} needs packages that are not installed: ${missing.join(', ')}`,
    };
  await symlink(modules, join(folder, 'node_modules'));
  return { program: join(folder, 'bin/local.ts') };
};
