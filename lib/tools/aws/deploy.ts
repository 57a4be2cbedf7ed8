import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackName } from '#lib/aws/settings/stack-name.ts';
import { UserError } from '../user-error.ts';
import type { AccountClient, Outputs } from './account.ts';
import { type Cdk, readJson } from './cdk.ts';
import {
  type Check,
  checkAlarms,
  checkBootstrap,
  checkConcurrency,
  checkMail,
  checkSubscriptions,
  checkTable,
  formatCheck,
} from './checks.ts';
import { type Context, contextArguments } from './context.ts';
import { costAtRest, formatCosts } from './cost-at-rest.ts';
import { keepsData, mailSenderIn, reservedIn, subscriberAddressesIn, type Template } from './template.ts';

/** The settings of a stage including its name, and the output folder of the CDK. */
export type Deployment = { context: Context; folder: string };
export type Tools = { account: AccountClient; cdk: Cdk; say: (line: string) => void };

const stageOf = ({ context }: Deployment): string => context.stage ?? 'dev';

const synthesise = async (deployment: Deployment, { cdk }: Pick<Tools, 'cdk'>): Promise<Template> => {
  const { context, folder } = deployment;
  const args = ['synth', '--quiet', '--output', folder, ...contextArguments(context)];
  if ((await cdk(args)) !== 0) throw new UserError('The CDK could not synthesise the template: see its output above.');
  return readJson(join(folder, `${stackName(stageOf(deployment))}.template.json`));
};

/** Returns the command that runs the smoke test against a stage. */
export const smokeCommand = (url: string): string =>
  `SMOKE_PASSWORD=... npm run smoke -- --url ${url} --user admin --receiver https://...`;

/** Returns the commands to run after a first deployment. */
const nextSteps = (stage: string, url: string): string[] => [
  'Next:',
  `  npm run admin -- --stage ${stage}                        # the first system admin; prints its password once`,
  `  ${smokeCommand(url)}`,
  `  npm run trace -- --stage ${stage} --event UUID           # what became of an event`,
];

const isAddress = (name: string): boolean => /Url$/.test(name);

/** Formats the addresses of a deployment, the targets of its DNS entries and the name of its table. */
const outputLines = (outputs: Outputs): string[] =>
  Object.entries(outputs)
    .filter(([name]) => isAddress(name) || /Target$|^TableName$/.test(name))
    .map(([name, value]) => `  ${name.padEnd(20)}  ${value}`);

const readOutputs = async (file: string, stack: string): Promise<Outputs> => (await readJson(file))[stack] ?? {};

/** Checks the subscribers of alarms. Runs again after the deployment, which may have changed the topic or the address. */
const subscriberChecks = async (stage: string, template: Template, account: AccountClient): Promise<Check[]> => {
  const addresses = subscriberAddressesIn(template);
  return addresses.length === 0 ? [] : [await checkSubscriptions(account, stackName(stage), addresses)];
};

const checksOf = async (stage: string, template: Template, { account }: Tools): Promise<Check[]> => {
  const own = async () => reservedIn(JSON.parse((await account.template(stackName(stage))) ?? '{}'));
  const checks = await Promise.all([
    checkBootstrap(account),
    checkMail(account, mailSenderIn(template)),
    checkConcurrency(account, { wanted: reservedIn(template), own }),
    checkAlarms(account, template),
    checkTable(account, stackName(stage), template),
  ]);
  return [...checks, ...(await subscriberChecks(stage, template, account))];
};

/** Synthesises the template of a stage and runs the checks that the CDK lacks. */
export const prepare = async (
  deployment: Deployment,
  tools: Tools,
): Promise<{ template: Template; checks: readonly Check[] }> => {
  const template = await synthesise(deployment, tools);
  return { template, checks: await checksOf(stageOf(deployment), template, tools) };
};

const runDeploy = async (
  { folder }: Deployment,
  stack: string,
  { cdk }: Tools,
  more: readonly string[],
): Promise<Outputs | null> => {
  const scratch = await mkdtemp(join(tmpdir(), 'deploy-'));
  try {
    const file = join(scratch, 'outputs.json');
    if ((await cdk(['deploy', stack, '--app', folder, '--outputs-file', file, ...more])) !== 0) return null;
    return await readOutputs(file, stack);
  } finally {
    await rm(scratch, { recursive: true });
  }
};

/**
 * Runs the checks, prints them and the cost at rest, and deploys with `more` arguments for `cdk deploy`. Returns the outputs
 * and the template of the stack, or null if a check or the CDK failed, after it printed the reason.
 */
export const checkAndDeploy = async (
  deployment: Deployment,
  tools: Tools,
  more: readonly string[],
): Promise<{ outputs: Outputs; template: Template } | null> => {
  const { say } = tools;
  const { template, checks } = await prepare(deployment, tools);
  for (const check of checks) say(formatCheck(check));
  for (const line of formatCosts(costAtRest(template))) say(line);
  if (checks.some(({ verdict }) => verdict === 'failed')) {
    say('Nothing was deployed.');
    return null;
  }
  const isWithoutMail = checks.some(({ withoutMail }) => withoutMail);
  // Without a sender, the service states that it cannot reset passwords by email.
  if (isWithoutMail) await synthesise({ ...deployment, context: { ...deployment.context, mailSender: '' } }, tools);
  const outputs = await runDeploy(deployment, stackName(stageOf(deployment)), tools, more);
  return outputs && { outputs, template };
};

/** Deploys a stage and prints account, addresses and next steps. Returns false if a check or the CDK failed. */
export const deploy = async (deployment: Deployment, tools: Tools, more: readonly string[] = []): Promise<boolean> => {
  const { account, say } = tools;
  const stage = stageOf(deployment);
  const { account: id, region } = await account.identity();
  say(`stage ${stage}, account ${id}, region ${region}`);
  const released = await checkAndDeploy(deployment, tools, more);
  if (released === null) return false;
  const { outputs, template } = released;
  for (const line of [...outputLines(outputs), ...nextSteps(stage, outputs.Url ?? 'URL')]) say(line);
  for (const check of await subscriberChecks(stage, template, account)) say(formatCheck(check));
  return true;
};

/** Prints what a deployment would change. Returns false if the CDK failed. */
export const diff = async (deployment: Deployment, { account, cdk, say }: Tools): Promise<boolean> => {
  const { account: id, region } = await account.identity();
  const stack = stackName(stageOf(deployment));
  say(`stack ${stack}, account ${id}, region ${region}`);
  return (await cdk(['diff', stack, ...contextArguments(deployment.context)])) === 0;
};

const HOW_TO_DESTROY =
  'people may rely on it. To destroy it anyway, first deploy it with -c keepData=false, which removes the deletion ' +
  'protection of its table, then destroy it with -c keepData=false.';

/**
 * Deletes a stage without `keepData`. Throws a Refusal if `keepData` is set, if the deployed table is retained, or if the stack
 * does not exist.
 */
export const destroy = async (
  deployment: Deployment,
  keepData: boolean,
  { account, cdk, say }: Tools,
  more: readonly string[] = [],
): Promise<boolean> => {
  const stage = stageOf(deployment);
  if (keepData) throw new UserError(`The stage ${stage} keeps its data, so nothing was destroyed: ${HOW_TO_DESTROY}`);
  const { account: id, region } = await account.identity();
  const body = await account.template(stackName(stage));
  if (body === null)
    throw new UserError(
      `The account ${id} has no stack ${stackName(stage)} in ${region}, so there is nothing to destroy.`,
    );
  if (keepsData(JSON.parse(body)))
    throw new UserError(`The stage ${stage} was deployed with keepData, so nothing was destroyed: ${HOW_TO_DESTROY}`);
  say(`stack ${stackName(stage)}, account ${id}, region ${region}: its table will be deleted too`);
  return (await cdk(['destroy', stackName(stage), ...contextArguments(deployment.context), ...more])) === 0;
};
