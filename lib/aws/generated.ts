import type { Plugin } from 'esbuild';
import { groups } from '../../functions/index.ts';
import { describeApi } from '../../shared/api/openapi/describe.ts';
import type { Publication } from '../../shared/api/publication.ts';
import { isStoreCall, type Use } from '../../shared/capabilities.ts';
import { type LambdaName, lambdas } from './lambdas.ts';

/**
 * Gives a module that exports only the nouns of the store whose calls a function uses, each from the file of its
 * name, so that esbuild leaves out the others.
 */
const nounsOf = (name: LambdaName): string => {
  const nouns = new Set(
    usesOf(name)
      .filter(isStoreCall)
      .map((use) => use.split('.')[0] ?? ''),
  );
  const fileOf = (noun: string) => noun.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [...nouns].map((noun) => `export { ${noun} } from './${fileOf(noun)}.ts';`).join('\n');
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

/**
 * An esbuild plugin that replaces modules by data that is computed once, at build time: the nouns of the store that a
 * function uses, how people are reached by those that do, the description of the API, and the files of the docs page and of the console. Each has the same
 * exports as its source.
 */
export const generated = (name: LambdaName): Plugin => ({
  name: 'generated',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/shared\/store\/nouns\.ts$/ }, () => ({ contents: nounsOf(name) }));
    for (const [file, exported] of Object.entries(usesOf(name).includes('send:person') ? {} : forPeople))
      onLoad({ filter: new RegExp(`/shared/${file}\\.ts$`) }, () => ({ contents: empty(exported) }));
    onLoad({ filter: /\/functions\/api\/server\/description\.ts$/ }, () => ({
      contents: `export const description = ${JSON.stringify(describeApi(groups))};`,
    }));
    onLoad({ filter: /\/functions\/api\/docs\/library\.ts$/ }, async () => ({
      contents: packed((await import('../../functions/api/docs/library.ts')).library),
    }));
    onLoad({ filter: /\/functions\/api\/console\/library\.ts$/ }, async () => ({
      contents: packed((await import('../../functions/api/console/library.ts')).library),
    }));
  },
});
