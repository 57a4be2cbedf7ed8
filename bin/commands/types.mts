import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readCommandLine } from '../../lib/local/command-line.ts';
import { runSteps } from '../../lib/tools/steps.ts';

const help = `npm run types                Checks the types of the service, of the client and of the console, which are three programs.
Writes the types of the OpenAPI document, which the client has, to .generated/.
  --no-check                   only writes them
Exit code: 0; 1 for an error of a type; 2 for wrong options.`;
const options = { 'no-check': { type: 'boolean', default: false } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error });

/** The compiler of this project. openapi-typescript needs the one before it, whose API can be called. */
const TSC = 'node node_modules/typescript-7/bin/tsc';

const write = async () => {
  const { writeOwnTypes } = await import('../../lib/tools/client/openapi-types.ts');
  const { settingsFrom } = await import('../../shared/runtime/env.ts');
  await writeOwnTypes(settingsFrom(process.env));
};
/** Lets a checkout without these types compile, so that the compiler says what is wrong and not that a file is missing. */
const writeAny = () => {
  mkdirSync('.generated', { recursive: true });
  const file = '.generated/openapi.d.ts';
  if (!existsSync(file)) writeFileSync(file, "declare module '#openapi';\n");
};
// The types come first, because the client's program needs them. Contracts that do not compile may not even load: then
// the compiler says why.
const [written] = await Promise.allSettled([write()]);
if (written.status === 'rejected') writeAny();
if (!given['no-check'])
  process.exitCode = runSteps(
    ['.', 'lib/client', 'lib/console'].map((project) => `${TSC} -p ${project}`),
    process.env,
  );
if (written.status === 'rejected' && !process.exitCode) throw written.reason;
