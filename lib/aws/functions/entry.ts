import { readFileSync } from 'node:fs';
import { kindOf } from '#functions/index.ts';
import { capabilityOf, isCapability, isStoreCall, type Module, type Use } from '#shared/runtime/capabilities.ts';
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

/** A noun that only a lazy chunk needs, which imports its file: what does not need the chunk does not load it at start. */
const inChunks = ['auditLines'];

/** The nouns of the store whose calls a function uses, with the imports of their code; of a noun that is only read, nothing that writes. */
const nounsOf = (uses: readonly Use[]) => {
  const calls = uses.filter(isStoreCall).map((use) => use.split('.'));
  const nouns = [...Map.groupBy(calls, ([noun = '']) => noun)].filter(([noun]) => !inChunks.includes(noun));
  return Promise.all(
    nouns.map(async ([noun, ofNoun]) => {
      const file = fileOf(noun);
      const names = ofNoun.map(([, call = '']) => call);
      const reads = await readsOf(file, names);
      const imported = reads ? `${reads} as ${noun}` : noun;
      return { noun, code: `import { ${imported} } from '#shared/store/${file}.ts';` };
    }),
  );
};

const fileOfModule: Readonly<Record<Module, string>> = {
  exports: 'exports/on-s3.ts',
  kms: 'auth/kms.ts',
  mail: 'aws/mail.ts',
  messengers: 'runtime/messengers.ts',
  passwords: 'auth/password.ts',
  people: 'runtime/people.ts',
  publish: 'aws/publish.ts',
  queues: 'queue/send.ts',
  subscriptions: 'aws/subscriptions.ts',
  vault: 'auth/vault.ts',
  webhookClient: 'delivery/webhook-client.ts',
};

const modulesOf = (uses: readonly Use[]): Module[] => [
  ...new Set(uses.filter(isCapability).flatMap((use) => capabilityOf(use).modules ?? [])),
];

/**
 * Returns the source of the entry of a function's bundle. It imports the handler, and of the store and the services what the
 * contract uses, so that the bundle contains nothing else.
 */
export const entryOf = async (name: LambdaName): Promise<string> => {
  const uses: readonly Use[] = lambdas.find((lambda) => lambda.name === name)?.uses ?? [];
  const nouns = await nounsOf(uses);
  const load = modulesOf(uses).map((module) => `${module}: () => import('#shared/${fileOfModule[module]}')`);
  return `
import { onLambda } from '#shared/runtime/lambda-runtime.ts';
import { handler as onHosts } from '#functions/${kindOf(name)}/${name}/handler.ts';
${nouns.map(({ code }) => code).join('\n')}
export const handler = onLambda(onHosts, { nouns: { ${nouns.map(({ noun }) => noun).join(', ')} }, load: { ${load.join(', ')} } });
`;
};
