import { defineConfig } from 'vitest/config';

/**
 * Local host tests that also run on the deployed code. Tests that inject faults into the host's runtime, or rely on one
 * process per consumer, run only on the local host.
 */
const shared = ['contracts/contracts', 'functions/api/deliveries', 'functions/api/webhooks/secrets', 'journeys/fall'];

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/deployed/*.test.ts', ...shared.map((name) => `test/${name}.test.ts`)],
    globalSetup: 'test/deployed/synth.ts',
    setupFiles: 'test/deployed/setup.ts',
    // Starting processes takes most of the time, and takes much longer on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    isolate: false,
  },
});
