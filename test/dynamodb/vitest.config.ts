import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { address } from './address.ts';

if (!address)
  process.stderr.write(
    'Tests skipped: DYNAMODB_LOCAL_URL is not set. Start DynamoDB Local and set its URL, such as http://127.0.0.1:8000.\n',
  );

/** Runs the table and store tests on DynamoDB Local, which must be running and empty. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: address ? ['test/shared/store/**/*.test.ts', 'test/lib/local/table/against-dynoxide.test.ts'] : [],
    passWithNoTests: !address,
    setupFiles: ['test/dynamodb/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The engine has a single namespace, so each file removes all tables it created before the next file starts.
    fileParallelism: false,
    isolate: false,
  },
});
