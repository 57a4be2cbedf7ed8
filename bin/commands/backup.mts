import { readCommandLine } from '../../lib/local/command-line.ts';

const help = `npm run backup -- --to FOLDER   copies the data of npm start, while it runs or not
  --data-dir FOLDER             the folder of npm start; the default is DATA_DIR, or .local
What was accepted before the command began is in the copy. To restore it: stop the host, put the copy in the place of
its folder, and start it. Keep it as safe as the folder: the key of the secrets is in it.
Exit code: 0; 1 when it cannot be copied; 2 for wrong options.`;
const options = { to: { type: 'string' }, 'data-dir': { type: 'string' } } as const;
const given = readCommandLine(options, help, { out: console.log, err: console.error }, ({ to }) =>
  to ? null : '--to names the folder of the copy',
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
