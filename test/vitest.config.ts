import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { whyNoDynoxide } from './fixtures/dynoxide.ts';

/**
 * The slowest files. They start first, because a slow file that starts last would run alone at the end. Files that
 * mostly wait are spread out, because three of them at once would leave the cores idle.
 */
const longest = [
  'faults/outside',
  'faults/sensors',
  'journeys/demo-home',
  'faults/inside',
  'lib/tools/aws/stack-states',
  'functions/workers/deliver/release',
  'contracts/contracts',
  'lib/tools/aws/recovery-faults',
  'journeys/open-falls',
  'lib/tools/commands',
  'faults/power-cuts',
  'journeys/floods',
  'functions/workers/process/escalate',
  'journeys/erasure',
  'functions/api/sensors/list',
  'units-of-events',
  'journeys/many-processes',
  'shared/store/table',
  'lib/aws/template',
  'shared/domain/watch/week',
  'shared/store/hits/hit-page',
  'functions/api/deliveries/replays',
  'functions/api/deliveries/customer-deliveries',
  'journeys/host-addresses',
  'functions/workers/data-jobs',
  'units-of-falls',
  'journeys/mqtt-many',
  'shared/api/openapi/document',
  'units-of-reports',
  'journeys/slow-receiver',
  'lib/client/package',
  'fuzz/fuzz',
  'journeys/offline-seen-late',
  'functions/api/rules/lists',
  'lib/tools/aws/recover',
  'functions/api/auth/failed-logins',
  'journeys/restart',
  'journeys/acknowledged-night',
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
/** Functions that start dynoxide, which counts units and makes table calls fail. */
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
    // These tests synthesize and bundle first, and run separately with `npm run test:deployed`.
    exclude: ['test/deployed/**', ...skipped],
    // Watch mode needs every import, to find the tests that depend on a changed file.
    setupFiles: process.argv.includes('run') ? ['test/fixtures/resolve-once.ts'] : [],
    // Limits for hanging tests. The slowest test takes 13 s, and ten times as long on a very busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // One more worker than the measured machine has cores, because tests also wait for receivers, processes and the
    // clock. A fourth worker needs 12% more CPU and takes longer.
    maxWorkers: 3,
    // Room for new objects. With Node's 16 MB, collecting them takes a tenth of the CPU.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    // Test files share imported modules. Loading them again for each file takes longer than running most tests.
    isolate: false,
    // As with `npm start`, Node loads the files itself, without a second module system to compile them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
