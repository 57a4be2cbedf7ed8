import { defineConfig } from 'vitest/config';

/**
 * Tests of the local host that run on the artefact as they are. Those that put faults into the host's own runtime, or
 * count on one process of each consumer, stay with the local host.
 */
const shared = ['contracts/contracts', 'functions/api/deliveries', 'functions/api/webhooks/secrets', 'journeys/fall'];

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/deployed/*.test.ts', ...shared.map((name) => `test/${name}.test.ts`)],
    globalSetup: 'test/deployed/synth.ts',
    setupFiles: 'test/deployed/setup.ts',
    // Most of the time goes to starting processes, on a busy machine much more of it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    isolate: false,
  },
});
