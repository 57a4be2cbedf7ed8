import { readCommandLine } from '../../lib/local/command-line.ts';
import { runShellCommands } from '../../lib/tools/shell.ts';

const help = `npm run fix                  Formats all files, applies the fixes of the linter, and updates the generated tables
of the documents (lib/local/SETTINGS.md, shared/store/TABLE.md, lib/aws/README.md).
Exit code: 0; 1 if errors remain that need fixing by hand; 2 for invalid options.`;
readCommandLine({}, help, { out: console.log, err: console.error });

process.exitCode = runShellCommands(['node bin/run.ts docs', 'biome check --write .'], process.env);
