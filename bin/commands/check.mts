import { readCommandLine } from '../../lib/local/command-line.ts';
import { runSteps } from '../../lib/tools/steps.ts';

const help = `npm run check                Everything that has to hold before a commit, the first failure ends it:
  types                        both programs compile
  lint                         format and rules
  test                         the tests
  synth                        the stack is synthesised, and cdk-nag finds nothing new
Exit code: 0, that of what failed, or 2 for wrong options.`;
readCommandLine({}, help, { out: console.log, err: console.error });

const steps = ['types', 'lint', 'test', 'synth'].map((name) => `npm run ${name}`);
process.exitCode = runSteps(steps, process.env);
