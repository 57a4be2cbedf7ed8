import { mkdirSync, writeFileSync } from 'node:fs';
import { readCommandLine } from '../lib/local/command-line.ts';
import { runSteps } from '../lib/tools/steps.ts';

const help = `npm run types                Checks the types of the service and of the console, which are two programs.
Writes the types of the OpenAPI document for the console's client to .generated/.
  --no-check                   only writes them
Exit code: 0; 1 for an error of a type; 2 for wrong options.`;
const options = { 'no-check': { type: 'boolean', default: false } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error });

/** The compiler of this project. openapi-typescript needs the one before it, whose API can be called. */
const TSC = 'node node_modules/typescript-7/bin/tsc';

/** Writes the TypeScript types of the OpenAPI document, for the client of the console. */
const writeTypes = async (): Promise<void> => {
  const [{ groups }, { describeApi }, { openApi }, { settingsFrom }] = await Promise.all([
    import('../functions/index.ts'),
    import('../shared/api/openapi/describe.ts'),
    import('../shared/api/openapi/document.ts'),
    import('../shared/env.ts'),
  ]);
  const { default: typesOf, astToString } = await import('openapi-typescript');
  const document = JSON.stringify(openApi(describeApi(groups), settingsFrom(process.env)));
  const types = await typesOf(document, { rootTypes: true, rootTypesNoSchemaPrefix: true, exportType: true });
  const folder = new URL('../.generated/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('openapi.d.ts', folder), astToString(types));
};

// The service comes first: the document cannot be made of contracts that do not compile.
const check = (...steps: string[]): number => (given['no-check'] ? 0 : runSteps(steps, process.env));
process.exitCode = check(`${TSC} -p .`);
if (process.exitCode === 0) {
  await writeTypes();
  process.exitCode = check(`${TSC} -p functions/api/console/app`);
}
