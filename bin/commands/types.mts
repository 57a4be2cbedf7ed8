import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readCommandLine } from '../../lib/local/command-line.ts';
import { runShellCommands } from '../../lib/tools/shell.ts';

const help = `npm run types                Generates types for the OpenAPI document in .generated/, then type-checks the service,
client and console programs.
  --no-check                   only generates them
Exit code: 0; 1 for type errors; 2 for invalid options.`;
const options = { 'no-check': { type: 'boolean', default: false } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error });

/** This project's compiler. openapi-typescript needs the previous version, which has an API. */
const TSC = 'node node_modules/typescript-7/bin/tsc';

const write = async () => {
  const { writeOwnTypes } = await import('../../lib/tools/client/openapi-types.ts');
  const { settingsFrom } = await import('../../shared/runtime/env.ts');
  await writeOwnTypes(settingsFrom(process.env));
};

/** Lets a checkout without these types compile, so the compiler reports the actual error instead of a missing file. */
const writeAny = () => {
  mkdirSync('.generated', { recursive: true });
  const file = '.generated/openapi.d.ts';
  if (!existsSync(file)) writeFileSync(file, "declare module '#openapi';\n");
};

// The client needs the types. Contracts with type errors may not even load, in which case the compiler reports why.
const [written] = await Promise.allSettled([write()]);
if (written.status === 'rejected') writeAny();
if (!given['no-check'])
  process.exitCode = runShellCommands(
    ['.', 'lib/client', 'lib/console'].map((project) => `${TSC} -p ${project}`),
    process.env,
  );
if (written.status === 'rejected' && !process.exitCode) throw written.reason;
