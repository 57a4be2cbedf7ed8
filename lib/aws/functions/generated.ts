import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { groups } from '#functions/index.ts';
import type { Publication } from '#shared/api/http/publication.ts';
import { describeApi } from '#shared/api/openapi/describe.ts';
import { isStoreCall, type Use } from '#shared/runtime/capabilities.ts';
import { type LambdaName, lambdas } from './lambdas.ts';

const list = readFileSync(new URL('../../../shared/store/nouns.ts', import.meta.url), 'utf8');
const files = new Map(
  [...list.matchAll(/export \{ (\w+) \} from '\.\/(.+)\.ts'/g)].map(([, noun, file]) => [noun, file]),
);
/** The file of a noun in shared/store, as the list of nouns says it. */
const fileOf = (noun: string): string => {
  const file = files.get(noun);
  if (file === undefined) throw new Error(`shared/store/nouns.ts has no ${noun}`);
  return file;
};

/** The name of what makes the reads of a noun, in the file of the noun, if these are all that is called. */
const readsOf = async (file: string, calls: readonly string[]): Promise<string | undefined> => {
  const made: Record<string, unknown> = await import(/* @vite-ignore */ `#shared/store/${file}.ts`);
  const reads = Object.keys(made).filter((key) => key.endsWith('Reads'));
  const callsOf = (part: string): string[] => Object.keys((made[part] as (table: object) => object)({}));
  return reads.find((read) => calls.every((call) => callsOf(read).includes(call)));
};

/** A noun that only a chunk needs, which imports its file: what needs no chunk does not load it at start. */
const inChunks = ['auditLines'];

/**
 * Gives a module that exports only the nouns of the store whose calls a function uses, each from the file of its
 * name, so that esbuild leaves out the others; and of a noun that is only read, nothing that writes.
 */
const nounsOf = async (name: LambdaName): Promise<string> => {
  const nouns = Map.groupBy(
    usesOf(name)
      .filter(isStoreCall)
      .map((use) => use.split('.')),
    ([noun = '']) => noun,
  );
  const atStart = [...nouns].filter(([noun]) => !inChunks.includes(noun));
  const lines = atStart.map(async ([noun, calls]) => {
    const file = fileOf(noun);
    const reads = await readsOf(
      file,
      calls.map(([, call = '']) => call),
    );
    return `export { ${reads ? `${reads} as ${noun}` : noun} } from './${file}.ts';`;
  });
  return (await Promise.all(lines)).join('\n');
};

const usesOf = (name: LambdaName): readonly Use[] => lambdas.find((lambda) => lambda.name === name)?.uses ?? [];

/** Modules for functions that reach people, and nothing else; in others they export what is never called. */
const forPeople = { people: 'peopleOf', messengers: 'messengersOf' } as const;
const empty = (name: string): string =>
  `export const ${name} = () => { throw new Error('this function does not use send:person'); };`;

/**
 * Gives a module that contains the files of a library gzipped, as they are served, without the code that makes them.
 */
const packed = (library: Readonly<Record<string, Publication & { type: string }>>): string => {
  const parts = Object.entries(library).map(([name, { gzip, ...rest }]) => {
    const text = Buffer.from(gzip).toString('base64');
    return `'${name}': { ...${JSON.stringify(rest)}, gzip: Buffer.from('${text}', 'base64') }`;
  });
  return `export const library = { ${parts.join(', ')} };`;
};

/** The part `about` of a row of settings, as the formatter writes it. */
const ABOUT = /^ {4}about: \{(?: .* \}|\n[\s\S]*?\n {4}\}),\n/gm;
/** Returns the source of rows of settings without what functions don't need, which is most of it. */
const forFunctions = (rows: string): string => {
  const short = rows.replaceAll(ABOUT, '');
  if (short.includes('about: {')) throw new Error('a row of settings is not in the form of the formatter: npm run fix');
  return short;
};

/**
 * An esbuild plugin that replaces modules by data that is computed once, at build time: the nouns of the store that a
 * function uses, how people are reached by those that do, the settings without what functions don't need, the
 * description of the API, and the files of the docs page and of the console. Each has the same exports as its source.
 */
export const generated = (name: LambdaName): Plugin => ({
  name: 'generated',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/shared\/store\/nouns\.ts$/ }, async () => ({ contents: await nounsOf(name) }));
    for (const [file, exported] of Object.entries(usesOf(name).includes('send:person') ? {} : forPeople))
      onLoad({ filter: new RegExp(`/shared/${file}\\.ts$`) }, () => ({ contents: empty(exported) }));
    onLoad({ filter: /\/shared\/settings\/(service|issuer|stack)\.ts$/ }, ({ path }) => ({
      contents: forFunctions(readFileSync(path, 'utf8')),
      loader: 'ts',
    }));
    onLoad({ filter: /\/functions\/api\/server\/description\.ts$/ }, () => ({
      contents: `export const description = ${JSON.stringify(describeApi(groups))};`,
    }));
    onLoad({ filter: /\/functions\/api\/docs\/library\.ts$/ }, async () => ({
      contents: packed((await import('#functions/api/docs/library.ts')).library),
    }));
    onLoad({ filter: /\/functions\/api\/console\/library\.ts$/ }, async () => ({
      contents: packed((await import('#functions/api/console/library.ts')).library),
    }));
  },
});
