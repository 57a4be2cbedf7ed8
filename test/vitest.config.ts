import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest come first: one of them at the end would run alone. The first of each row mostly wait, so
 * they are apart: three of them at a time would leave the cores idle.
 */
const longest = [
  ...['faults/inside', 'contracts/contracts', 'shared/api/configs', 'faults/outside'],
  ...['functions/api/deliveries/replays', 'units-of-events', 'shared/store/table', 'functions/api/sensors/list'],
  ...['journeys/mqtt-many', 'lib/tools/commands', 'functions/api/deliveries', 'units-of-falls'],
  ...['journeys/slow-receiver', 'fuzz/fuzz', 'lib/aws/settings', 'lib/simulate/simulate'],
  ...['journeys/many-processes', 'lib/aws/iam-replay', 'types', 'functions/api/sensors/event-pages'],
  ...['journeys/restart', 'journeys/edges', 'journeys/frozen-bodies', 'lib/tools/smoke'],
  ...['lib/local/keep-alive', 'functions/api/rules/changes', 'shared/api/openapi/document'],
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = longest.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...new Set([...first, ...sorted])];
  }
}

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
    sequence: { sequencer: LongestFirst },
    // Files share what they import: loading it anew for each takes longer than most of their tests.
    isolate: false,
  },
});
