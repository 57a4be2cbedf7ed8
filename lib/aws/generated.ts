import type { Plugin } from 'esbuild';
import { groups } from '../../functions/index.ts';
import { describeApi } from '../../shared/api/openapi/describe.ts';
import type { Publication } from '../../shared/api/publication.ts';
import { isStoreCall } from '../../shared/capabilities.ts';
import { type LambdaName, lambdas } from './lambdas.ts';

/** The nouns of the store whose calls a function uses, each out of the file of its name: esbuild leaves out the others. */
const nounsOf = (name: LambdaName): string => {
  const uses = lambdas.find((lambda) => lambda.name === name)?.uses ?? [];
  const nouns = new Set(uses.filter(isStoreCall).map((use) => use.split('.')[0] ?? ''));
  const fileOf = (noun: string) => noun.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return [...nouns].map((noun) => `export { ${noun} } from './${fileOf(noun)}.ts';`).join('\n');
};

/** The files of a library as they are served, packed, instead of what makes them. */
const packed = (library: Readonly<Record<string, Publication & { type: string }>>): string => {
  const parts = Object.entries(library).map(([name, { gzip, ...rest }]) => {
    const text = Buffer.from(gzip).toString('base64');
    return `'${name}': { ...${JSON.stringify(rest)}, gzip: Buffer.from('${text}', 'base64') }`;
  });
  return `export const library = { ${parts.join(', ')} };`;
};

/**
 * Modules of ours that are data by the time a function is deployed: which nouns it uses, the description of the API, the
 * files of the docs page and of the console. Each exports in a bundle what it exports in the source, worked out once, here.
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
