import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run backup -- --to FOLDER   copies the npm start data folder, running or not
  --to FOLDER                   folder for the copy, new or empty
  --data-dir FOLDER             npm start data folder (default: DATA_DIR or .local)
The copy contains everything accepted before the command began. To restore it, stop the host, replace the data folder
with the copy, and start the host. Protect the copy like the folder: it contains the key that encrypts secrets.
Exit code: 0; 1 if the copy failed; 2 for invalid options.`;
const options = { to: { type: 'string' }, 'data-dir': { type: 'string' } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, ({ to }) =>
  to ? null : '--to FOLDER is required',
);

const [{ backUp }, { runTool }] = await Promise.all([
  import('../../lib/tools/backup.ts'),
  import('../../lib/tools/run.ts'),
]);
const dataDir = given['data-dir'] ?? (process.env.DATA_DIR || '.local');
process.exitCode = await runTool(async () => {
  const bytes = await backUp(dataDir, given.to ?? '');
  console.log(`copied ${dataDir} to ${given.to}: ${(bytes / 1_000_000).toFixed(1)} MB`);
  return true;
}, console.error);
