import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    // They synthesise and bundle first, and have a run of their own: npm run test:deployed.
    exclude: ['test/deployed/**'],
    // Bounds for what hangs: the slowest test takes 7 s, and a busy machine three times as long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than the cores that it is measured on, because tests also wait: for receivers, processes, the clock.
    maxWorkers: 3,
    // Files share what they import: loading it anew for each takes longer than most of their tests.
    isolate: false,
  },
});
