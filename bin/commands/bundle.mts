import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run bundle -- --to FOLDER   bundles the local host into a folder that only needs Node 24
  --to FOLDER                   folder for the bundle; existing content is deleted
Run \`node FOLDER/start.mjs\`, or demo, backup, mail and recover.
Exit code: 0; 1 if bundling failed; 2 for invalid options.`;
const options = { to: { type: 'string' } } as const;
const { to = '' } = readCommandLine(options, help, { out: console.log, err: console.error }, (given) =>
  given.to ? null : '--to FOLDER is required',
);

const { bundleHost } = await import('../../lib/tools/host/bundle.ts');
console.log(`${Math.ceil((await bundleHost(to)) / 1_024)} KB in ${to}`);
