import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run client                 packs the client and the command for those who build on the service
  --to cdk.out                 the folder where the .tgz is written, for npm install FILE
Exit code: 0; 1 when it cannot be made; 2 for wrong options.`;
const root = fileURLToPath(new URL('../..', import.meta.url));
const options = { to: { type: 'string', default: join(root, 'cdk.out') } } as const;
const { to } = readCommandLine(options, help, { out: console.log, err: console.error });

const [{ makePackage, packPackage }, { settingsFrom }] = await Promise.all([
  import('../../lib/tools/client/pack.ts'),
  import('../../shared/runtime/env.ts'),
]);
const folder = join(to, 'client');
await makePackage(folder, settingsFrom(process.env));
console.log(await packPackage(folder, to));
