import { readFileSync } from 'node:fs';
import { kindOf } from '#functions/index.ts';
import { capabilityOf, isCapability, isStoreCall, type Module, type Use } from '#shared/runtime/capabilities.ts';
import { operationsOf } from '../api/operations.ts';
import { type LambdaName, lambdas } from './lambdas.ts';

const nounList = readFileSync(new URL('../../../shared/store/nouns.ts', import.meta.url), 'utf8');
const nounFiles = new Map(
  [...nounList.matchAll(/export \{ (\w+) \} from '\.\/(.+)\.ts'/g)].map(([, noun, file]) => [noun, file]),
);
/** Returns the file in shared/store that defines a noun, as listed there. */
const fileOf = (noun: string): string => {
  const file = nounFiles.get(noun);
  if (file === undefined) throw new Error(`shared/store/nouns.ts has no ${noun}`);
  return file;
};

/** Returns the name of the export in `file` that contains only reads, or undefined if it does not have all `calls`. */
const readsOf = async (file: string, calls: readonly string[]): Promise<string | undefined> => {
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ `#shared/store/${file}.ts`);
  const reads = Object.keys(exported).filter((key) => key.endsWith('Reads'));
  const callsOf = (part: string): string[] => Object.keys((exported[part] as (table: object) => object)({}));
  return reads.find((read) => calls.every((call) => callsOf(read).includes(call)));
};

/**
 * Nouns needed only by lazily loaded API chunks. The chunks import the noun files, so a cold start does not load them.
 */
const lazyNouns: Readonly<Record<string, readonly string[]>> = { api: ['auditLines'], workers: [] };

/**
 * Returns the store nouns a function uses, with their imports. Writes are left out for nouns the function only reads.
 */
const nounsOf = (uses: readonly Use[], lazy: readonly string[] = []) => {
  const calls = uses.filter(isStoreCall).map((use) => use.split('.'));
  const nouns = [...Map.groupBy(calls, ([noun = '']) => noun)].filter(([noun]) => !lazy.includes(noun));
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
  activeAlarms: 'aws/active-alarms.ts',
  alarmTopic: 'aws/alarm-topic.ts',
  exports: 'exports/s3.ts',
  kms: 'auth/kms.ts',
  mail: 'aws/mail.ts',
  messengers: 'runtime/messengers.ts',
  passwords: 'auth/password.ts',
  people: 'runtime/person-sender.ts',
  publish: 'aws/publish.ts',
  queues: 'queue/sqs-queues.ts',
  vault: 'auth/vault.ts',
  webhookClient: 'delivery/webhook-client.ts',
};

const modulesOf = (uses: readonly Use[]): Module[] => [
  ...new Set(uses.filter(isCapability).flatMap((use) => capabilityOf(use).modules ?? [])),
];

/** Returns the code that also lets a load balancer invoke the function. */
const loadBalancerOf = (group: LambdaName) => ({
  imports: `import { behindLoadBalancer } from '#shared/api/http/load-balancer.ts';
import { ${group} as contract } from '#functions/api/${group}/contract.ts';`,
  handler: 'behindLoadBalancer(contract, handle)',
});

/**
 * Returns the source for the entry point of a function bundle. It imports only the handler and the parts of the store
 * and the services that the contract uses, so the bundle contains nothing else.
 */
export const entrySource = async (name: LambdaName): Promise<string> => {
  const uses: readonly Use[] = lambdas.find((lambda) => lambda.name === name)?.uses ?? [];
  const nouns = await nounsOf(uses, lazyNouns[kindOf(name)]);
  const load = modulesOf(uses).map((module) => `${module}: () => import('#shared/${fileOfModule[module]}')`);
  const ofDevices = operationsOf('devices').some(({ lambda }) => lambda === name) ? loadBalancerOf(name) : null;
  return `
import { lambdaHandler } from '#shared/runtime/lambda-runtime.ts';
import { handler as onHosts } from '#functions/${kindOf(name)}/${name}/handler.ts';
${nouns.map(({ code }) => code).join('\n')}
${ofDevices?.imports ?? ''}
const handle = lambdaHandler(onHosts, { nouns: { ${nouns.map(({ noun }) => noun).join(', ')} }, load: { ${load.join(', ')} } });
export const handler = ${ofDevices?.handler ?? 'handle'};
`;
};
