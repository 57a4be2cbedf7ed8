import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { address } from './address.ts';

if (!address)
  process.stderr.write(
    'DYNAMODB_LOCAL_URL names no DynamoDB Local (such as http://127.0.0.1:8000), so these tests are skipped.\n',
  );

/** The tests of table and store once more, on an engine that was started before and is empty. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: address ? ['test/shared/store/**/*.test.ts', 'test/lib/local/table/against-dynoxide.test.ts'] : [],
    passWithNoTests: !address,
    setupFiles: ['test/dynamodb/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The engine has one namespace: each file removes its tables before the next one begins.
    fileParallelism: false,
    isolate: false,
  },
});
