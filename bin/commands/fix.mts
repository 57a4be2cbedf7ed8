import { readCommandLine } from '../../lib/local/command-line.ts';
import { runSteps } from '../../lib/tools/steps.ts';

const help = `npm run fix                  Formats all files, corrects what the linter can correct, and writes the tables of the
documents that are made of the code (lib/local/SETTINGS.md, shared/store/TABLE.md, lib/aws/README.md).
Exit code: 0; 1 when something is left to be corrected by hand; 2 for wrong options.`;
readCommandLine({}, help, { out: console.log, err: console.error });

process.exitCode = runSteps(['node bin/run.ts docs', 'biome check --write .'], process.env);
