import { readCommandLine } from '../../lib/local/command-line.ts';
import { runShellCommands } from '../../lib/tools/shell.ts';

const help = `npm run fix                  Formats all files, applies linter fixes, and updates generated tables in the documents,
some of which come from tests.
Exit code: 0; 1 if errors remain to be fixed by hand; 2 for invalid options.`;
readCommandLine({}, help, { out: console.log, err: console.error });

/** The tests that write tables into documents, with figures computed from the stack. */
const writers = [
  'test/bench/price.test.ts',
  'test/lib/aws/monitoring/alarms.test.ts',
  'test/lib/client/generators.test.ts',
  'test/lib/tools/aws/bill.test.ts',
  'test/lib/tools/aws/growth.test.ts',
];

process.exitCode = runShellCommands(
  [
    'node bin/run.ts docs',
    // `--update` is last because it would take the file after it as its value.
    `vitest run --config test/vitest.config.ts ${writers.join(' ')} --update`,
    'biome check --write .',
  ],
  process.env,
);
