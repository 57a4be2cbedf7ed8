import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/browser/**/*.journey.ts'],
    globalSetup: ['test/browser/fixtures/chromium.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One browser, and one process with the local host.
    maxWorkers: 1,
    isolate: false,
  },
});
