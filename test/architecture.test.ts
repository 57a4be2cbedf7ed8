import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { inCircles } from './fixtures/circles.ts';
import { differences } from './fixtures/differences.ts';
import { allows, fits, folders, type Import, importsOf, withoutComments, withoutStrings } from './fixtures/imports.ts';
import { deviations, rooms } from './fixtures/rooms.ts';

const root = new URL('..', import.meta.url).pathname;

const roomOf = (file: string) => Object.keys(rooms).find((room) => fits(room, file));
const isInRoom = (imported: Import) =>
  (rooms[roomOf(imported.file) ?? ''] ?? '').split(' ').some((rule) => allows(rule, imported));
const deviationOf = (imported: Import) =>
  deviations.find(([file, may]) => fits(file, imported.file) && allows(may, imported));

/** Complaints about the imports of a file. */
const trespasses = (file: string, source: string): string[] =>
  importsOf(file, source)
    .filter((imported) => !isInRoom(imported) && !deviationOf(imported))
    .map(({ to, names }) => `${file} imports ${[to, ...names].join(' ')}`);

const mayReadEnvironment = [
  'shared/runtime/env.ts',
  'lib/client/command/main.ts',
  'test/deployed/bootstrap.ts',
  'test/browser/fixtures/chromium.ts',
  'test/dynamodb/address.ts',
];

/** Words that may not stand in the code of some files; comments and strings don't count. */
const words: { rule: string; where: (file: string) => boolean; word: RegExp; planted: [string, string] }[] = [
  {
    rule: 'the environment is read by shared/runtime/env.ts, bin and the command of the client alone, by what stands in for Lambda, and to find a browser or an engine',
    where: (file) => !file.startsWith('bin/') && !mayReadEnvironment.includes(file),
    word: /\bprocess\??\.env\b|\benv\b[^=;]*\} = (globalThis\.)?process\b|\benv\b.* from '{2}/,
    planted: ['lib/local/a.ts', 'const { env } = process;'],
  },
  {
    rule: 'the domain knows no clock and no chance',
    where: (file) => file.startsWith('shared/domain/'),
    word: /\bDate\.now\b|\bMath\.random\b|\bnew Date\(\)|\bDate\(\)|\brandom(UUID|Bytes|Int)\b|getRandomValues|performance\.now/,
    planted: ['shared/domain/a.ts', 'export const now = () => new Date();'],
  },
  {
    rule: 'time, timers and chance come as arguments',
    where: (file) =>
      /^(shared|functions)\/(?!api\/console\/app\/)/.test(file) &&
      !['shared/runtime/lambda-runtime.ts', 'shared/concurrency/machine.ts'].includes(file),
    word: /\bDate\.now\b|\bMath\.random\b|\bset(Timeout|Interval)\(|\bperformance\.now\b|timers\/promises/,
    planted: ['shared/store/a.ts', 'const at = performance.now();'],
  },
  {
    rule: 'nothing is exported by default',
    where: (file) => !file.endsWith('/vitest.config.ts'),
    word: /^export default\b|\bas default\b/m,
    planted: ['lib/local/a.ts', 'export default 1;'],
  },
  {
    rule: 'no barrels but functions/index.ts',
    where: (file) => file !== 'functions/index.ts',
    word: /^export \* /m,
    planted: ['shared/domain/a.ts', "export * from './b.ts';"],
  },
];
const wordsIn = (file: string, source: string): string[] =>
  words
    .filter(({ where, word }) => where(file) && word.test(withoutStrings(source)))
    .map(({ rule }) => `${file}: ${rule}`);

/** They choose: the nouns of the store that a bundle has, and what of the AWS SDK is bundled at all. */
const isChoice = (file: string): boolean => file === 'shared/store/nouns.ts' || /[/-]sdk\.ts$/.test(file);
/** The list of all contracts, and what users import of the packed client. */
const isEntry = (file: string): boolean => ['functions/index.ts', 'lib/client/index.ts'].includes(file);
const isBarrel = (file: string, source: string): boolean =>
  (file.endsWith('/index.ts') && !isEntry(file)) ||
  (!isChoice(file) &&
    !isEntry(file) &&
    withoutComments(source)
      .replaceAll(/^(import|export)\s[^'"`;]*from '[^']+';/gm, '')
      .trim() === '');

/** A specifier that climbs two folders or more: `#shared/…` says the same in one word. */
const CLIMBING = /\b(?:from|import|import\()\s*['`](?:\.\.\/){2}/;

/** A limit or a guard of what users have that a test switches off by itself. */
const SWITCHED_OFF = /RATE_LIMIT_PER_SECOND'?: '(0|\d{4,})'|messagesPerSecond"?:0|\bDEMO: 'false'/;
/** Files that may say so: the list with the reasons, and the test of the variables themselves. */
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

/** Folders of tests that mirror no folder of the code, and the tests of the whole: each says what it looks at. */
const otherTests: Record<string, string> = {
  'test/journeys/': 'stories that several groups and workers take part in',
  'test/faults/': 'faults of processes, table, queues, receivers and people',
  'test/bench/': 'what is measured',
  'test/fuzz/': 'requests made of anything',
  'test/browser/': 'the console in a browser',
  'test/deployed/': 'the synthesised stack and its bundles',
  'test/contracts/': 'every operation by its contract',
  'test/upgrade/': 'what earlier versions stored',
  'test/architecture.test.ts': 'all folders',
  'test/platforms.test.ts': 'what users run, on every platform',
  'test/documents.test.ts': 'links between all documents',
  'test/types.test.ts': 'what the compiler refuses, in any folder',
  'test/units': 'what something costs from its first call to its last effect, over all workers',
  'test/shared/decisions.test.ts': 'the form of the decisions, which are documents',
};
/** A test mirrors the code when files of the code lie in the same folder, or in a folder of the test's own name. */
const isTestAtItsPlace = (file: string, all: readonly string[]): boolean => {
  const mirrored = file.replace(/^test\/(.*)\.test\.ts$/, '$1');
  return (
    Object.keys(otherTests).some((place) => file.startsWith(place)) ||
    all.some((path) => dirname(path) === dirname(mirrored) || path.startsWith(`${mirrored}/`))
  );
};

const settingsOfTools = ['package.json', 'package-lock.json', 'tsconfig.json', 'cdk.json', 'biome.json'];
const topLevel = [...settingsOfTools, 'README.md', 'LICENSE', 'CHANGELOG.md', ...folders];
const notOurs = ['node_modules', 'cdk.out', 'coverage'];

describe('the house', () => {
  test('every file is in a room, and no room is empty', () => {
    expect(files.filter((file) => !roomOf(file))).toEqual([]);
    expect(Object.keys(rooms).filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
  });

  test('no file imports from a room that is closed to it', () => {
    expect(sources.flatMap(([file, source]) => trespasses(file, source))).toEqual([]);
  });

  test('no files import each other in a circle, types included', () => {
    const imports = sources.flatMap(([file, source]) => importsOf(file, source));
    expect(inCircles(imports.filter(({ file }) => !file.startsWith('test/')))).toEqual([]);
  });

  test('every deviation is needed, and has a reason', () => {
    const all = sources.flatMap(([file, source]) => importsOf(file, source)).filter((imported) => !isInRoom(imported));
    const needed = new Set(all.map(deviationOf));
    expect(deviations.filter((deviation) => !needed.has(deviation) || deviation[2] === '')).toEqual([]);
  });

  test('clock, chance, environment, default exports and barrels are where they belong', () => {
    expect(sources.flatMap(([file, source]) => wordsIn(file, source))).toEqual([]);
    expect(sources.filter(([file, source]) => isBarrel(file, source)).map(([file]) => file)).toEqual([]);
  });

  test('every test lies where what it tests lies, or in one of the few other folders', () => {
    const tests = files.filter((file) => /^test\/.*\.test\.ts$/.test(file));
    expect(tests.filter((file) => !isTestAtItsPlace(file, files))).toEqual([]);
    expect(Object.keys(otherTests).filter((place) => !files.some((file) => file.startsWith(place)))).toEqual([]);
  });

  test('limits and guards are switched off in one place, each with its reason', () => {
    expect(sources.filter(([file, source]) => isSwitchedOff(file, source)).map(([file]) => file)).toEqual([]);
    expect(Object.values(differences).filter(({ why }) => why.length < 40)).toEqual([]);
  });

  test('every relative link of a document leads to a file', () => {
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

  test('imports that leave two folders name the folder where they lead', () => {
    // The package.json of bin has no subpaths: it only says that its programs are CommonJS.
    const climbing = sources.filter(
      ([file, source]) => !file.startsWith('bin/') && CLIMBING.test(withoutComments(source)),
    );
    expect(climbing.map(([file]) => file)).toEqual([]);
  });

  test('the top level holds what it should, and nothing else', () => {
    const names = readdirSync(root).filter((name) => !name.startsWith('.') && !notOurs.includes(name));
    expect(names.filter((name) => !name.endsWith('.log')).sort()).toEqual([...topLevel].sort());
  });
});

describe('a planted violation is caught', () => {
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
  ])('%s imports %s', (file, to) => {
    const quoted = `'${to}'`;
    const from = ['import { createHmac } from', 'import type * as a from', 'export {\n  a,\n} from', 'import'];
    const planted = [...from.map((start) => `${start} ${quoted};`), `const a = () => import(${quoted});`];
    for (const source of planted) expect(trespasses(file, source), source).toHaveLength(1);
  });

  test('a circle, also one of types', () => {
    const imports = [
      ...importsOf('shared/a.ts', "import { b } from './b.ts';"),
      ...importsOf('shared/b.ts', "import type { C } from './c.ts';\nimport { d } from './d.ts';"),
      ...importsOf('shared/c.ts', "export const b = () => import('./b.ts');"),
    ];
    expect(inCircles(imports)).toEqual(['shared/b.ts', 'shared/c.ts']);
  });

  test('an import that cannot be read', () => {
    expect(trespasses('lib/local/a.ts', ['const a = import', '(name);'].join(''))).toHaveLength(1);
  });

  test.each(words)('$rule', ({ planted: [file, source] }) => {
    expect(wordsIn(file, source)).toHaveLength(1);
  });

  test.each(['test/rooms.test.ts', 'test/functions/api/nothing.test.ts', 'test/shared/none/a.test.ts'])(
    'a test at another place: %s',
    (file) => {
      expect(isTestAtItsPlace(file, files)).toBe(false);
    },
  );

  test.each([`{ RATE_LIMIT_PER_SECOND: '0' }`, `{ RATE_LIMIT_PER_SECOND: '1000000' }`, `'{"messagesPerSecond":0}'`])(
    'a limit that a fixture switches off by itself: %s',
    (source) => {
      expect(isSwitchedOff('test/fixtures/a.ts', source)).toBe(true);
    },
  );

  test('a barrel', () => {
    expect(isBarrel('shared/a.ts', "/** All. */\nexport { a } from './b.ts';\n")).toBe(true);
  });
});
