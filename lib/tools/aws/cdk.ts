import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Runs the pinned CDK command line in this terminal and returns the exit code. */
export type Cdk = (args: readonly string[]) => Promise<number>;

const binary = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');

export const runCdk: Cdk = async (args) => {
  const child = spawn(process.execPath, [binary(), ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return (code as number | null) ?? 1;
};

export const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
