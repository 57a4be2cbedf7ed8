import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { whyNoDynoxide } from './fixtures/dynoxide.ts';

/**
 * The files that take longest come first: one of them at the end would run alone. The first of each row mostly wait, so
 * they are apart: three of them at a time would leave the cores idle.
 */
const longest = [
  'faults/inside',
  'faults/outside',
  'contracts/contracts',
  'journeys/demo-home',
  'journeys/erasure',
  'lib/tools/aws/recovery-faults',
  'lib/tools/commands',
  'functions/api/sensors/list',
  'units-of-events',
  'journeys/many-processes',
  'functions/api/deliveries/replays',
  'functions/api/deliveries/of-customer',
  'journeys/listening',
  'functions/workers/data-jobs',
  'units-of-falls',
  'journeys/mqtt-many',
  'shared/api/openapi/document',
  'units-of-reports',
  'journeys/slow-receiver',
  'lib/client/package',
  'fuzz/fuzz',
  'journeys/silence-seen-late',
  'functions/api/rules/lists',
  'lib/tools/aws/recover',
  'functions/api/auth/failed-logins',
  'journeys/restart',
  'journeys/answered-night',
  'types',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = longest.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
    return [...new Set([...first, ...sorted])];
  }
}

const root = new URL('..', import.meta.url);
/** What starts dynoxide, which counts units and lets calls of the table fail. */
const ON_DYNOXIDE =
  /\b(startDynoxide|startEngine|startCountedCloud|createFaultWorld|createGate|createMetered|testFaults|startHostWithWorkers|onClient|meter\b)/;
const skipped = whyNoDynoxide
  ? globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
      ON_DYNOXIDE.test(readFileSync(new URL(file, root), 'utf8')),
    )
  : [];
if (whyNoDynoxide) process.stderr.write(`${whyNoDynoxide}, so these tests are skipped: ${skipped.join(', ')}\n`);

export default defineConfig({
  test: {
    root: fileURLToPath(root),
    include: ['test/**/*.test.ts'],
    // They synthesise and bundle first, and have a run of their own: npm run test:deployed.
    exclude: ['test/deployed/**', ...skipped],
    // Bounds for what hangs: the slowest test takes 7 s, and a busy machine three times as long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than the cores that it is measured on, because tests also wait: for receivers, processes, the clock.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Files share what they import: loading it anew for each takes longer than most of their tests.
    isolate: false,
    // As `npm start` runs it: Node reads the files itself, without a second module system that compiles them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
