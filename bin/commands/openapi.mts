import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run openapi --silent > openapi.json
Prints the OpenAPI document for this commit, with PUBLIC_URL as the server.
Exit code: 0; 2 for invalid options.`;
readCommandLine({}, help, { out: console.log, err: console.error });

const [{ groups }, { describeApi }, { openApi }, { settingsFrom }] = await Promise.all([
  import('../../functions/index.ts'),
  import('../../shared/api/openapi/describe.ts'),
  import('../../shared/api/openapi/document.ts'),
  import('../../shared/runtime/env.ts'),
]);
console.log(JSON.stringify(openApi(describeApi(groups), settingsFrom(process.env)), null, 2));
