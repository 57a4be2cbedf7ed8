import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { importCycles } from './fixtures/circles.ts';
import { differences } from './fixtures/differences.ts';
import { allows, fits, folders, type Import, importsOf, withoutComments, withoutStrings } from './fixtures/imports.ts';
import { exceptions, layers } from './fixtures/layers.ts';

const root = new URL('..', import.meta.url).pathname;

const layerOf = (file: string) => Object.keys(layers).find((layer) => fits(layer, file));
const isAllowed = (imported: Import) =>
  (layers[layerOf(imported.file) ?? ''] ?? '').split(' ').some((rule) => allows(rule, imported));
const exceptionOf = (imported: Import) =>
  exceptions.find(([file, may]) => fits(file, imported.file) && allows(may, imported));

/** Returns a file's forbidden imports. */
const violations = (file: string, source: string): string[] =>
  importsOf(file, source)
    .filter((imported) => !isAllowed(imported) && !exceptionOf(imported))
    .map(({ to, names }) => `${file} imports ${[to, ...names].join(' ')}`);

const mayReadEnvironment = [
  'shared/runtime/env.ts',
  'lib/client/command/main.ts',
  'test/deployed/bootstrap.ts',
  'test/browser/fixtures/chromium.ts',
  'test/dynamodb/address.ts',
  'test/faults/cut-disk.ts',
  'test/mutants/run.ts',
  'test/mutants/vitest.config.ts',
  'test/template-linters/run.ts',
];

/** Patterns not allowed in some files, outside comments and strings. */
const forbidden: { rule: string; where: (file: string) => boolean; pattern: RegExp; planted: [string, string] }[] = [
  {
    rule: 'only env.ts, bin, the client command, the Lambda and disk stand-ins, mutants, and browser, engine and linter lookups read the environment',
    where: (file) => !file.startsWith('bin/') && !mayReadEnvironment.includes(file),
    pattern: /\bprocess\??\.env\b|\benv\b[^=;]*\} = (globalThis\.)?process\b|\benv\b.* from '{2}/,
    planted: ['lib/local/a.ts', 'const { env } = process;'],
  },
  {
    rule: 'the domain does not use clocks or randomness',
    where: (file) => file.startsWith('shared/domain/'),
    pattern:
      /\bDate\.now\b|\bMath\.random\b|\bnew Date\(\)|\bDate\(\)|\brandom(UUID|Bytes|Int)\b|getRandomValues|performance\.now/,
    planted: ['shared/domain/a.ts', 'export const now = () => new Date();'],
  },
  {
    rule: 'time, timers and randomness are arguments',
    where: (file) =>
      /^(shared|functions)\/(?!api\/console\/app\/)/.test(file) &&
      !['shared/runtime/lambda-runtime.ts', 'shared/concurrency/machine.ts'].includes(file),
    pattern: /\bDate\.now\b|\bMath\.random\b|\bset(Timeout|Interval)\(|\bperformance\.now\b|timers\/promises/,
    planted: ['shared/store/a.ts', 'const at = performance.now();'],
  },
  {
    rule: 'no default exports',
    where: (file) => !file.endsWith('/vitest.config.ts'),
    pattern: /^export default\b|\bas default\b/m,
    planted: ['lib/local/a.ts', 'export default 1;'],
  },
  {
    rule: 'no barrel except functions/index.ts',
    where: (file) => file !== 'functions/index.ts',
    pattern: /^export \* /m,
    planted: ['shared/domain/a.ts', "export * from './b.ts';"],
  },
];
const forbiddenIn = (file: string, source: string): string[] =>
  forbidden
    .filter(({ where, pattern }) => where(file) && pattern.test(withoutStrings(source)))
    .map(({ rule }) => `${file}: ${rule}`);

/** Files that pick the store nouns or AWS SDK parts to bundle. */
const isSelection = (file: string): boolean => file === 'shared/store/nouns.ts' || /[/-]sdk\.ts$/.test(file);
/** The list of all contracts, and the packed client's entry point. */
const isEntry = (file: string): boolean => ['functions/index.ts', 'lib/client/index.ts'].includes(file);
const isBarrel = (file: string, source: string): boolean =>
  (file.endsWith('/index.ts') && !isEntry(file)) ||
  (!isSelection(file) &&
    !isEntry(file) &&
    withoutComments(source)
      .replaceAll(/^(import|export)\s[^'"`;]*from '[^']+';/gm, '')
      .trim() === '');

/** A relative specifier climbing two or more folders, which should be `#shared/…`. */
const CLIMBING = /\b(?:from|import|import\()\s*['`](?:\.\.\/){2}/;

/** A limit or guard switched off inline in a test. */
const SWITCHED_OFF = /RATE_LIMIT_PER_SECOND'?: '(0|\d{4,})'|messagesPerSecond"?:0|\bDEMO: 'false'/;
/** Files allowed to switch off limits and guards: the list with its reasons, and the variables test. */
const maySwitchOff = ['test/fixtures/differences.ts', 'test/lib/local/options.test.ts', 'test/architecture.test.ts'];
const isSwitchedOff = (file: string, source: string): boolean =>
  file.startsWith('test/') && !maySwitchOff.includes(file) && SWITCHED_OFF.test(source);

const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((file) => /\.m?tsx?$/.test(file))
  .sort();
const sources = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

/** Tests and test folders with no counterpart in the code, each with its subject. */
const otherTests: Record<string, string> = {
  'test/journeys/': 'scenarios across several groups and workers',
  'test/faults/': 'faults of processes, table, queues, receivers and people',
  'test/bench/': 'measurements',
  'test/fuzz/': 'random requests',
  'test/browser/': 'the console in a browser',
  'test/deployed/': 'the synthesized stack and its bundles',
  'test/contracts/': 'every operation against its contract',
  'test/template-linters/': 'linters of other projects, on the templates of several stages',
  'test/upgrade/': 'data of earlier versions',
  'test/architecture.test.ts': 'all folders',
  'test/platforms.test.ts': 'the code that users run, on every platform',
  'test/documents.test.ts': 'links between all documents',
  'test/words.test.ts': 'words of all code and documents',
  'test/types.test.ts': 'compiler errors, in any folder',
  'test/units': 'capacity units from the first call to the last effect, over all workers',
  'test/shared/decisions.test.ts': 'the form of the decision documents',
};
/** A test mirrors the code if the same folder, or one named after the test, contains code. */
const isTestInPlace = (file: string, all: readonly string[]): boolean => {
  const mirrored = file.replace(/^test\/(.*)\.test\.ts$/, '$1');
  return (
    Object.keys(otherTests).some((place) => file.startsWith(place)) ||
    all.some((path) => dirname(path) === dirname(mirrored) || path.startsWith(`${mirrored}/`))
  );
};

const settingsOfTools = ['package.json', 'package-lock.json', 'tsconfig.json', 'cdk.json', 'biome.json'];
const topLevel = [...settingsOfTools, 'README.md', 'LICENSE', 'CHANGELOG.md', ...folders];
const notOurs = ['node_modules', 'cdk.out', 'coverage'];

describe('the repository', () => {
  test('every file belongs to a layer, and no layer is empty', () => {
    expect(files.filter((file) => !layerOf(file))).toEqual([]);
    expect(Object.keys(layers).filter((layer) => !files.some((file) => layerOf(file) === layer))).toEqual([]);
  });

  test('contains only imports allowed by a layer or an exception', () => {
    expect(sources.flatMap(([file, source]) => violations(file, source))).toEqual([]);
  });

  test('contains no import cycles, types included', () => {
    const imports = sources.flatMap(([file, source]) => importsOf(file, source));
    expect(importCycles(imports.filter(({ file }) => !file.startsWith('test/')))).toEqual([]);
  });

  test('lists only exceptions that are needed, each with a reason', () => {
    const all = sources.flatMap(([file, source]) => importsOf(file, source)).filter((imported) => !isAllowed(imported));
    const needed = new Set(all.map(exceptionOf));
    expect(exceptions.filter((exception) => !needed.has(exception) || exception[2] === '')).toEqual([]);
  });

  test('sources avoid forbidden globals, default exports and barrel files', () => {
    expect(sources.flatMap(([file, source]) => forbiddenIn(file, source))).toEqual([]);
    expect(sources.filter(([file, source]) => isBarrel(file, source)).map(([file]) => file)).toEqual([]);
  });

  test('keeps tests in folders that mirror the code, or in another listed folder', () => {
    const tests = files.filter((file) => /^test\/.*\.test\.ts$/.test(file));
    expect(tests.filter((file) => !isTestInPlace(file, files))).toEqual([]);
    expect(Object.keys(otherTests).filter((place) => !files.some((file) => file.startsWith(place)))).toEqual([]);
  });

  test('no test disables a limit or guard that is not on the documented list', () => {
    expect(sources.filter(([file, source]) => isSwitchedOff(file, source)).map(([file]) => file)).toEqual([]);
    expect(Object.values(differences).filter(({ why }) => why.length < 40)).toEqual([]);
  });

  test('resolves every relative link in the documents', () => {
    const inFolders = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    );
    const documents = [...topLevel, ...inFolders].filter((file) => file.endsWith('.md'));
    const links = documents.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)/g)].map(([, to = '']) => [file, to]),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(([file = '', to = '']) => !existsSync(join(root, dirname(file), to)))).toEqual([]);
  });

  test('uses `#` paths for imports that climb two folders', () => {
    // The package.json in bin defines no subpaths. It only makes the programs CommonJS.
    const violating = sources.filter(
      ([file, source]) => !file.startsWith('bin/') && CLIMBING.test(withoutComments(source)),
    );
    expect(violating.map(([file]) => file)).toEqual([]);
  });

  test('keeps only folders, documents and tool settings at the top level', () => {
    const names = readdirSync(root).filter((name) => !name.startsWith('.') && !notOurs.includes(name));
    expect(names.filter((name) => !name.endsWith('.log')).sort()).toEqual([...topLevel].sort());
  });
});

describe('the architecture test', () => {
  test.each([
    ['shared/domain/a.ts', '../store/table.ts'],
    ['shared/domain/a.ts', 'node:fs'],
    ['shared/domain/ids.ts', 'node:crypto'],
    ['shared/store/a.ts', '../api/errors.ts'],
    ['shared/queue/a.ts', '../store/store.ts'],
    ['shared/delivery/a.ts', '@aws-sdk/client-sqs'],
    ['shared/api/a.ts', '../store/client.ts'],
    ['shared/runtime/capabilities.ts', './env.ts'],
    ['shared/runtime/env.ts', './log.ts'],
    ['functions/api/a/contract.ts', './handler.ts'],
    ['functions/index.ts', './api/auth/handler.ts'],
    ['functions/api/a/handler.ts', '../b/handler.ts'],
    ['functions/api/a/handler.ts', 'zod'],
    ['lib/aws/a.ts', '../../functions/api/auth/handler.ts'],
    ['lib/local/a.ts', '../aws/stage.ts'],
    ['bin/a.ts', './fixtures/cloud.ts'],
    ['test/a.test.ts', '../bin/local.ts'],
  ])('finds a forbidden import: %s imports %s', (file, to) => {
    const quoted = `'${to}'`;
    const from = ['import { createHmac } from', 'import type * as a from', 'export {\n  a,\n} from', 'import'];
    const planted = [...from.map((start) => `${start} ${quoted};`), `const a = () => import(${quoted});`];
    for (const source of planted) expect(violations(file, source), source).toHaveLength(1);
  });

  test('finds an import cycle, even one through type imports', () => {
    const imports = [
      ...importsOf('shared/a.ts', "import { b } from './b.ts';"),
      ...importsOf('shared/b.ts', "import type { C } from './c.ts';\nimport { d } from './d.ts';"),
      ...importsOf('shared/c.ts', "export const b = () => import('./b.ts');"),
    ];
    expect(importCycles(imports)).toEqual(['shared/b.ts', 'shared/c.ts']);
  });

  test('finds an unresolvable import', () => {
    expect(violations('lib/local/a.ts', ['const a = import', '(name);'].join(''))).toHaveLength(1);
  });

  test.each(forbidden)('finds a violation of: $rule', ({ planted: [file, source] }) => {
    expect(forbiddenIn(file, source)).toHaveLength(1);
  });

  test.each(['test/rooms.test.ts', 'test/functions/api/nothing.test.ts', 'test/shared/none/a.test.ts'])(
    'finds the misplaced test %s',
    (file) => {
      expect(isTestInPlace(file, files)).toBe(false);
    },
  );

  test.each([`{ RATE_LIMIT_PER_SECOND: '0' }`, `{ RATE_LIMIT_PER_SECOND: '1000000' }`, `'{"messagesPerSecond":0}'`])(
    'finds a limit disabled directly in a fixture: %s',
    (source) => {
      expect(isSwitchedOff('test/fixtures/a.ts', source)).toBe(true);
    },
  );

  test('finds a barrel file', () => {
    expect(isBarrel('shared/a.ts', "/** All. */\nexport { a } from './b.ts';\n")).toBe(true);
  });
});
