import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { allows, fits, folders, type Import, importsOf, withoutComments, withoutStrings } from './fixtures/imports.ts';

const root = new URL('..', import.meta.url).pathname;

/**
 * Which room may import what; a file is in the first room that fits it. `x/` is a folder, `*` a part of a path, `OWN`
 * the file's own folder, `PACKAGE` what isn't ours, `type:` an import that leaves no code, `{a}` the only names taken.
 */
const rooms: Record<string, string> = {
  'shared/domain/': 'shared/domain/ zod',
  'shared/concurrency/': 'shared/concurrency/',
  'shared/transport.ts': '',
  'shared/store/':
    'shared/domain/ shared/concurrency/ shared/store/ shared/transport.ts @aws-sdk/client-dynamodb @aws-sdk/lib-dynamodb',
  'shared/queue/':
    'shared/domain/ shared/concurrency/ shared/queue/ shared/capabilities.ts shared/transport.ts @aws-sdk/client-sqs ' +
    'zod type:aws-lambda',
  'shared/auth/': 'shared/domain/ shared/auth/ shared/transport.ts node:crypto',
  'shared/delivery/': 'shared/domain/ shared/delivery/ jose node:net node:https',
  'shared/api/':
    'shared/api/ shared/domain/ shared/auth/ shared/queue/ shared/delivery/ shared/*.ts @middy/core zod type:aws-lambda',
  'shared/capabilities.ts': 'type:shared/store/access-pattern.ts',
  'shared/log.ts': '',
  'shared/env.ts': 'shared/domain/ zod',
  'shared/mail.ts': 'shared/transport.ts @aws-sdk/client-sesv2',
  'shared/deps.ts': 'shared/',
  'functions/*/contract.ts':
    'shared/api/operation.ts shared/api/config-pair.ts shared/queue/consumer.ts shared/domain/ zod',
  'functions/index.ts': 'functions/*/contract.ts',
  'functions/*/*.ts': 'OWN/ shared/',
  'lib/aws/':
    'lib/aws/ functions/index.ts functions/*/contract.ts shared/store/table.ts shared/store/access-pattern*.ts ' +
    'shared/capabilities.ts aws-cdk-lib constructs cdk-nag',
  'lib/local/': 'lib/local/ functions/ shared/ node:* type:aws-lambda',
  'bin/': 'lib/ functions/index.ts',
  'test/': 'test/ lib/ functions/ shared/ PACKAGE',
};

/** What goes beyond the rooms: who, what, and why. One that nothing needs any more fails below. */
const deviations: [file: string, may: string, because: string][] = [
  ['shared/domain/ids.ts', 'node:crypto{createHash}', 'derived ids are pure: a hash is arithmetic'],
  ['shared/domain/sensor-state.ts', 'node:util{isDeepStrictEqual}', 'tells news from a repetition: comparing is pure'],
  ['shared/domain/user.ts', 'node:crypto{createHash}', 'a key of any text is pure: a hash is arithmetic'],
  ['shared/store/client.ts', 'node:crypto{randomUUID}', 'names a transaction over its repetitions'],
  ['shared/store/client.ts', 'node:util{isDeepStrictEqual}', 'knows its own write again'],
  ['shared/log.ts', 'node:async_hooks{AsyncLocalStorage}', 'every line tells of which invocation it is'],
  ['shared/queue/consume.ts', 'shared/log.ts', 'says of which message a line is'],
  ['shared/queue/consume.ts', 'shared/deps.ts', 'composes what a consumer uses'],
  ['shared/api/address.ts', 'node:net{isIP}', 'what a header says may be no address'],
  ['shared/api/serve.ts', 'shared/store/store.ts', 'composes the store that guards a call'],
  ['shared/api/customer.ts', 'type:shared/store/store.ts', 'the type of what it asks; no code'],
  ['shared/api/configs.ts', 'type:shared/store/store.ts', 'the type of what it asks; no code'],
  ['shared/api/publication.ts', 'node:crypto{createHash}', 'a tag is a hash of what it stands for'],
  ['shared/api/publication.ts', 'node:zlib', 'packs what everybody may read'],
  ['shared/api/guard-calls.ts', 'type:shared/store/access-pattern.ts', 'names of calls; no code'],
  ['shared/api/middleware/', 'type:shared/store/*.ts', 'types of what the guard reads; no code'],
  ['shared/api/middleware/answer.ts', 'shared/store/unavailable.ts', 'the error that becomes a 503'],
  ['shared/deps.ts', 'node:crypto{randomBytes}', 'the composition root: chance enters here'],
  ['shared/auth/kms.ts', '@aws-sdk/client-kms', 'seals what must be read again'],
  ['shared/mail.ts', 'node:url{domainToASCII}', 'SES takes the names of domains in ASCII alone'],
  ['shared/delivery/sign.ts', 'node:crypto{createHmac}', 'signatures are HMACs'],
  ['shared/delivery/connect.ts', 'node:http', 'a stage may allow receivers without TLS'],
  ['shared/delivery/resolve.ts', 'node:dns/promises{Resolver,lookup}', 'every address of a name is judged'],
  ['shared/delivery/resolve.ts', 'node:fs{readFileSync}', 'the hosts file of this machine comes first'],
  ['shared/delivery/url-policy.ts', 'node:timers/promises{setTimeout}', 'a name must not take forever'],
  ['functions/*/contract.ts', 'shared/queue/task.ts', 'the schemas of the tasks: data'],
  ['functions/server/description.ts', 'functions/index.ts', 'the OpenAPI document is made of all contracts'],
  ['lib/aws/bundle.ts', 'shared/api/openapi.ts', 'a bundle holds the document, not what makes it'],
  ['functions/server/qr-code.ts', 'qrcode', 'draws the picture; loaded by its one call'],
  ['functions/docs/', 'node:*', 'its page is made of files of a package, and packed'],
  ['lib/aws/bundle.ts', 'functions/docs/library.ts', 'a bundle holds these files'],
  ['lib/aws/', 'node:*', 'bundling works on files'],
  ['lib/aws/', 'esbuild', 'bundling by its API'],
  ['lib/aws/', 'shared/queue/consumer.ts', 'what a contract means for its queue: data and arithmetic'],
  ['lib/aws/', 'shared/api/operation.ts', 'what a contract is made of: data and types'],
  ['lib/aws/stage.ts', 'shared/domain/quota.ts', 'a stage may set other quotas: their names and bounds'],
  ['lib/aws/lambdas.ts', 'shared/api/guard-calls.ts', 'what each operation needs besides its handler: data'],
  ['lib/aws/', 'type:shared/env.ts', 'the names of the settings; no code'],
  ['lib/local/sqs.ts', '@aws-sdk/client-sqs', 'receives from the queue engine that is given'],
  ['lib/local/table.ts', '@aws-sdk/client-dynamodb', 'creates the table'],
  ['lib/local/dynamodb-json.ts', '@aws-sdk/lib-dynamodb', 'knows the commands of the store by their classes'],
  ['bin/', 'shared/', 'composition roots'],
  ['bin/', 'node:*', 'composition roots'],
  ['bin/', 'package.json', 'the version'],
];

const roomOf = (file: string) => Object.keys(rooms).find((room) => fits(room, file));
const isInRoom = (one: Import) => (rooms[roomOf(one.file) ?? ''] ?? '').split(' ').some((rule) => allows(rule, one));
const deviationOf = (one: Import) => deviations.find(([file, may]) => fits(file, one.file) && allows(may, one));

/** Complaints about the imports of a file. */
const trespasses = (file: string, source: string): string[] =>
  importsOf(file, source)
    .filter((one) => !isInRoom(one) && !deviationOf(one))
    .map(({ to, names }) => `${file} imports ${[to, ...names].join(' ')}`);

/** Words that may not stand in the code of some files; comments and strings don't count. */
const words: { rule: string; where: (file: string) => boolean; word: RegExp; planted: [string, string] }[] = [
  {
    rule: 'the environment is read by shared/env.ts and bin alone',
    where: (file) => file !== 'shared/env.ts' && !file.startsWith('bin/'),
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
    rule: 'nothing is exported by default',
    where: (file) => file !== 'test/vitest.config.ts',
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

const isBarrel = (file: string, source: string): boolean =>
  (file.endsWith('/index.ts') && file !== 'functions/index.ts') ||
  withoutComments(source)
    .replaceAll(/^(import|export)\s[^'"`;]*from '[^']+';/gm, '')
    .trim() === '';

const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((one) => join(folder, one)),
  )
  .filter((file) => file.endsWith('.ts'))
  .sort();
const sources = files.map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

const topLevel = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'cdk.json', 'biome.json', 'README.md', 'LICENSE'],
  ...folders,
];
const notOurs = ['node_modules', 'cdk.out', 'coverage'];

describe('the house', () => {
  test('every file is in a room, and no room is empty', () => {
    expect(files.filter((file) => !roomOf(file))).toEqual([]);
    expect(Object.keys(rooms).filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([]);
  });

  test('no file imports from a room that is closed to it', () => {
    expect(sources.flatMap(([file, source]) => trespasses(file, source))).toEqual([]);
  });

  test('every deviation is needed, and has a reason', () => {
    const all = sources.flatMap(([file, source]) => importsOf(file, source)).filter((one) => !isInRoom(one));
    const needed = new Set(all.map(deviationOf));
    expect(deviations.filter((one) => !needed.has(one) || one[2] === '')).toEqual([]);
  });

  test('clock, chance, environment, default exports and barrels are where they belong', () => {
    expect(sources.flatMap(([file, source]) => wordsIn(file, source))).toEqual([]);
    expect(sources.filter(([file, source]) => isBarrel(file, source)).map(([file]) => file)).toEqual([]);
  });

  test('no file has more than 250 lines', () => {
    expect(sources.filter(([, source]) => source.trimEnd().split('\n').length > 250).map(([file]) => file)).toEqual([]);
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
    ['shared/capabilities.ts', './env.ts'],
    ['shared/env.ts', './log.ts'],
    ['functions/a/contract.ts', './handler.ts'],
    ['functions/index.ts', './auth/handler.ts'],
    ['functions/a/handler.ts', '../b/handler.ts'],
    ['functions/a/handler.ts', 'zod'],
    ['lib/aws/a.ts', '../../functions/auth/handler.ts'],
    ['lib/local/a.ts', '../aws/stage.ts'],
    ['bin/a.ts', '../test/fixtures/cloud.ts'],
    ['test/a.test.ts', '../bin/local.ts'],
  ])('%s imports %s', (file, to) => {
    const quoted = `'${to}'`;
    const from = ['import { createHmac } from', 'import type * as a from', 'export {\n  a,\n} from', 'import'];
    const planted = [...from.map((start) => `${start} ${quoted};`), `const a = () => import(${quoted});`];
    for (const source of planted) expect(trespasses(file, source), source).toHaveLength(1);
  });

  test('an import that cannot be read', () => {
    expect(trespasses('lib/local/a.ts', ['const a = import', '(name);'].join(''))).toHaveLength(1);
  });

  test.each(words)('$rule', ({ planted: [file, source] }) => {
    expect(wordsIn(file, source)).toHaveLength(1);
  });

  test('a barrel', () => {
    expect(isBarrel('shared/a.ts', "/** All. */\nexport { a } from './b.ts';\n")).toBe(true);
  });
});
