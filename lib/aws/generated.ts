import type { Plugin } from 'esbuild';
import { groups } from '../../functions/index.ts';
import { describeApi } from '../../shared/api/openapi/describe.ts';
import type { Publication } from '../../shared/api/publication.ts';
import { isStoreCall } from '../../shared/capabilities.ts';
import { type LambdaName, lambdas } from './lambdas.ts';

/**
 * Gives a module that exports only the nouns of the store whose calls a function uses, each from the file of its
 * name, so that esbuild leaves out the others.
 */
const nounsOf = (name: LambdaName): string => {
  const uses = lambdas.find((lambda) => lambda.name === name)?.uses ?? [];
  const nouns = new Set(uses.filter(isStoreCall).map((use) => use.split('.')[0] ?? ''));
  const fileOf = (noun: string) => noun.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [...nouns].map((noun) => `export { ${noun} } from './${fileOf(noun)}.ts';`).join('\n');
};

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
 * function uses, the description of the API, and the files of the docs page and of the console. Each has the same
 * exports as its source.
 */
export const generated = (name: LambdaName): Plugin => ({
  name: 'generated',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/shared\/store\/nouns\.ts$/ }, () => ({ contents: nounsOf(name) }));
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
