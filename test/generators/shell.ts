import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * The folder for installed generators. It is outside the repository and persists, because installing takes most of the
 * time.
 */
export const TOOLS = join(tmpdir(), 'sensor-cloud-generators');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/**
 * Runs a shell command in which `node` is this project's Node. If the command fails, the error contains the command's
 * output.
 */
export const shell = async (
  command: string,
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> => {
  await mkdir(TOOLS, { recursive: true });
  const variables = Object.entries({ TOOLS, ROOT, ...environment }).map(([name, value]) => `${name}=${value}`);
  const script = `export PATH="${dirname(process.execPath)}:$PATH"\n${command}`;
  try {
    return (await run('env', [...variables, 'bash', '-c', script], { cwd, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command}\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`, { cause: error });
  }
};

/** Returns why something cannot be installed on this machine, or null if it can. */
export const obstacleTo = async (
  { needs, install }: { needs: readonly string[]; install: string },
  cwd: string,
): Promise<string | null> => {
  try {
    for (const command of needs) await shell(`command -v ${command}`, cwd);
    await shell(install, cwd);
    return null;
  } catch (error) {
    return String(error).slice(0, 300);
  }
};
