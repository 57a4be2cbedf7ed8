import { readCommandLine } from '../../lib/local/command-line.ts';
import { runShellCommands } from '../../lib/tools/shell.ts';

const help = `npm run check                Runs all checks, up to the first one that fails:
  types                        compiles all programs
  lint                         checks format and lint rules
  test                         runs the tests
  synth                        synthesizes the stack, with cdk-nag
Exit code: 0, the failed check's code, or 2 for invalid options.`;
readCommandLine({}, help, { out: console.log, err: console.error });

const steps = ['types', 'lint', 'test', 'synth'].map((name) => `npm run ${name}`);
process.exitCode = runShellCommands(steps, process.env);
