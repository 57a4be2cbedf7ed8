import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run client                 packs the client library and command as an npm package
  --to cdk.out                 folder for the .tgz, for npm install FILE
Exit code: 0; 1 if packing failed; 2 for invalid options.`;
const root = fileURLToPath(new URL('../..', import.meta.url));
const options = { to: { type: 'string', default: join(root, 'cdk.out') } } as const;
const { to } = readCommandLine(options, help, { out: console.log, err: console.error });

const [{ buildPackage, packPackage }, { settingsFrom }] = await Promise.all([
  import('../../lib/tools/client/pack.ts'),
  import('../../shared/runtime/env.ts'),
]);
const folder = join(to, 'client');
await buildPackage(folder, settingsFrom(process.env));
console.log(await packPackage(folder, to));
