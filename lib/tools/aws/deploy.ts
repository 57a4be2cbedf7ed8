import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackName } from '#lib/aws/settings/stack-name.ts';
import { UserError } from '../user-error.ts';
import type { AccountClient } from './account.ts';
import { withFallback } from './calls.ts';
import { readJson } from './cdk.ts';
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
import { withCaps } from './concurrency-caps.ts';
import { type Context, contextArguments } from './context.ts';
import { formatCosts } from './cost/at-rest.ts';
import { isDenied } from './failure.ts';
import { checkActiveAlarms, checkKey, checkMqtt, checkQuotas, checkSms } from './stack-checks.ts';
import {
  deleteStack,
  makeDeployable,
  readStack,
  type StackNow,
  sayFailures,
  stuck,
  type Tools,
  waitUntilStable,
} from './stack-recovery.ts';
import type { Outputs } from './stacks.ts';
import {
  cappedIn,
  keepsData,
  mailSenderIn,
  queueConcurrencyIn,
  reservedIn,
  subscriberAddressesIn,
  type Template,
  tableIn,
} from './template.ts';
import { isTransient } from './transient.ts';

/** A stage's settings including the name, and the CDK output folder. */
export type Deployment = { context: Context; folder: string };
const stageOf = ({ context }: Deployment): string => context.stage ?? 'dev';

const synthesize = async (deployment: Deployment, { cdk }: Pick<Tools, 'cdk'>): Promise<Template> => {
  const { context, folder } = deployment;
  const args = ['synth', '--quiet', '--output', folder, ...contextArguments(context)];
  if ((await cdk(args)) !== 0) throw new UserError('The CDK could not synthesize the template: see its output above.');
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

/** Formats a deployment's addresses, DNS targets and table name. */
const outputLines = (outputs: Outputs): string[] =>
  Object.entries(outputs)
    .filter(([name]) => isAddress(name) || /Target$|^TableName$/.test(name))
    .map(([name, value]) => `  ${name.padEnd(20)}  ${value}`);

const readOutputs = async (file: string, stack: string): Promise<Outputs> => (await readJson(file))[stack] ?? {};

/**
 * Checks the alarm subscribers. The check is repeated after the deployment, which may have changed the topic or the
 * address.
 */
const subscriberChecks = async (stage: string, template: Template, account: AccountClient): Promise<Check[]> => {
  const addresses = subscriberAddressesIn(template);
  return addresses.length === 0 ? [] : [await checkSubscriptions(account, stackName(stage), addresses)];
};

/**
 * Returns the account for the checks. It hides the template of a stack that is not running, because such a stack
 * reserves and invokes nothing.
 */
const accountOfRunning = async (stack: string, account: AccountClient): Promise<AccountClient> => {
  const { situation } = await readStack(stack, { account });
  const runs = situation === 'running' || situation === 'changing' || situation === 'half updated';
  return runs ? account : { ...account, template: async () => null };
};

/** Returns what a stage's deployed stack reserves. */
const reservedNow = async (stage: string, account: AccountClient): Promise<number> =>
  reservedIn(JSON.parse((await account.template(stackName(stage))) ?? '{}'));

/** Returns a deployment whose settings also cap the functions that falls do not depend on, if the account allows it. */
const capped = async (deployment: Deployment, tools: Pick<Tools, 'account'>): Promise<Deployment> => {
  const stage = stageOf(deployment);
  const account = await accountOfRunning(stackName(stage), tools.account);
  return {
    ...deployment,
    context: await withCaps(deployment.context, account, () => reservedNow(stage, account)),
  };
};

const checksOf = async (stage: string, template: Template, tools: Pick<Tools, 'account'>): Promise<Check[]> => {
  const account = await accountOfRunning(stackName(stage), tools.account);
  const checks = await Promise.all([
    checkBootstrap(account),
    checkMail(account, mailSenderIn(template)),
    checkConcurrency(account, {
      wanted: reservedIn(template),
      own: () => reservedNow(stage, account),
      queued: queueConcurrencyIn(template),
      capped: cappedIn(template),
    }),
    checkAlarms(account, template),
    checkTable(account, stackName(stage), template),
    checkKey(account, stackName(stage), template),
    checkMqtt(template),
    checkQuotas(account, template),
    checkSms(account, template),
  ]);
  return [...checks, ...(await subscriberChecks(stage, template, account))];
};

/**
 * Synthesizes a stage's template and runs the checks that the CDK does not perform. Also returns the deployment used
 * for the template, with caps in the settings.
 */
export const prepare = async (
  given: Deployment,
  tools: Pick<Tools, 'account' | 'cdk'>,
): Promise<{ deployment: Deployment; template: Template; checks: readonly Check[] }> => {
  const deployment = await capped(given, tools);
  const template = await synthesize(deployment, tools);
  return { deployment, template, checks: await checksOf(stageOf(deployment), template, tools) };
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

/** Prints the state in which a failed deployment left a stack, and what to do. */
const sayFailedState = ({ state, situation }: StackNow, { say }: Tools): void => {
  if (situation === 'never ran')
    say('Nothing runs yet. Remove the cause and run the same command again: it deletes what is left and starts over.');
  if (situation === 'running')
    say(`CloudFormation rolled the changes back (${state?.status}): the stage runs as before.`);
  if (situation === 'half updated')
    say('The rollback failed too. Remove the cause and run the same command again: it continues the rollback first.');
};

/** The number of attempts at a deployment when AWS is not ready. */
const MAX_ATTEMPTS = 3;

/**
 * Deploys a stack from whatever state it is in, and retries if AWS was not ready for one of the resources. Returns the
 * outputs, or null after printing why the deployment failed.
 */
const deployStack = async (
  deployment: Deployment,
  stack: string,
  tools: Tools,
  more: readonly string[],
): Promise<Outputs | null> => {
  const { account, say } = tools;
  const readFailures = () => withFallback(account.failures(stack), isDenied, []);
  for (let attempt = 1; ; attempt++) {
    if (!(await makeDeployable({ stack, app: ['--app', deployment.folder] }, tools))) return null;
    const earlier = new Set((await readFailures()).map(({ event }) => event));
    const outputs = await runDeploy(deployment, stack, tools, more);
    if (outputs) return outputs;
    const failures = (await readFailures()).filter(({ event }) => !earlier.has(event));
    if (failures.length === 0) return null;
    say('CloudFormation could not deploy:');
    sayFailures(failures, { say });
    if (attempt === MAX_ATTEMPTS || !failures.every(isTransient)) {
      sayFailedState(await waitUntilStable(stack, tools), tools);
      return null;
    }
    say('AWS was not ready yet: deploying again.');
  }
};

/**
 * Throws a UserError if a stage's deletion failed, the table is retained, and a deployment would start with an empty
 * table instead of the retained one.
 */
const refuseToStartEmpty = async (
  stack: string,
  { situation }: StackNow,
  { account }: Tools,
  template: Template,
): Promise<void> => {
  if (situation !== 'half deleted' || !keepsData(JSON.parse((await account.template(stack)) ?? '{}'))) return;
  const { TableName: table, KeyArn: key } = (await account.outputs(stack)) ?? {};
  if (table === undefined || tableIn(template) === JSON.stringify(table)) return;
  throw new UserError(
    `The deletion of the stack ${stack} failed, but its table ${table} still has its data, and a new stage would start empty. To continue with the data, deploy with -c tableName=${table} -c keyArn=${key}. To start empty, finish the deletion first (npm run destroy).`,
  );
};

/**
 * Runs the checks, prints them and the cost at rest, and deploys with `more` as extra `cdk deploy` arguments. Returns
 * the stack's outputs and template, or null after printing why a check or the CDK failed.
 */
export const checkAndDeploy = async (
  given: Deployment,
  tools: Tools,
  more: readonly string[],
): Promise<{ outputs: Outputs; template: Template } | null> => {
  const { say } = tools;
  const stack = stackName(stageOf(given));
  const now = await waitUntilStable(stack, tools);
  const { deployment, template, checks } = await prepare(given, tools);
  for (const check of checks) say(formatCheck(check));
  for (const line of formatCosts(template)) say(line);
  if (checks.some(({ verdict }) => verdict === 'failed')) {
    say('Nothing was deployed.');
    return null;
  }
  await refuseToStartEmpty(stack, now, tools, template);
  const isWithoutMail = checks.some(({ withoutMail }) => withoutMail);
  // Without a sender, the service states that passwords cannot be reset by email.
  if (isWithoutMail) await synthesize({ ...deployment, context: { ...deployment.context, mailSender: '' } }, tools);
  const outputs = await deployStack(deployment, stack, tools, more);
  return outputs && { outputs, template };
};

/**
 * Deploys a stage and prints the account, addresses, next steps and active alarms. Returns false if a check or the CDK
 * failed.
 */
export const deploy = async (deployment: Deployment, tools: Tools, more: readonly string[] = []): Promise<boolean> => {
  const { account, say } = tools;
  const stage = stageOf(deployment);
  const { account: id, region } = await account.identity();
  say(`stage ${stage}, account ${id}, region ${region}`);
  const released = await checkAndDeploy(deployment, tools, more);
  if (released === null) return false;
  const { outputs, template } = released;
  for (const line of [...outputLines(outputs), ...nextSteps(stage, outputs.Url ?? 'URL')]) say(line);
  const after = [
    ...(await checkActiveAlarms(account, stackName(stage))),
    ...(await subscriberChecks(stage, template, account)),
  ];
  for (const check of after) say(formatCheck(check));
  return true;
};

/** Prints what a deployment would change. Returns false if the CDK failed. */
export const diff = async (
  deployment: Deployment,
  { account, cdk, say }: Pick<Tools, 'account' | 'cdk' | 'say'>,
): Promise<boolean> => {
  const { account: id, region } = await account.identity();
  const stack = stackName(stageOf(deployment));
  say(`stack ${stack}, account ${id}, region ${region}`);
  const { context } = await capped(deployment, { account });
  return (await cdk(['diff', stack, ...contextArguments(context)])) === 0;
};

const HOW_TO_DESTROY =
  'people may rely on it. To destroy it anyway, first deploy it with -c keepData=false, which removes the deletion ' +
  'protection of its table, then destroy it with -c keepData=false.';

/**
 * Throws a UserError if a stage keeps its data, according to the settings or the deployed template. A stage that never
 * ran has no data.
 */
const refuseToLoseData = async (
  { stack, stage, keepData }: { stack: string; stage: string; keepData: boolean },
  { state, situation }: StackNow,
  { account }: Tools,
): Promise<void> => {
  if (situation === 'stuck') throw stuck(stack, state);
  if (situation !== 'running' && situation !== 'half updated') return;
  if (keepData) throw new UserError(`The stage ${stage} keeps its data, so nothing was destroyed: ${HOW_TO_DESTROY}`);
  if (keepsData(JSON.parse((await account.template(stack)) ?? '{}')))
    throw new UserError(`The stage ${stage} was deployed with keepData, so nothing was destroyed: ${HOW_TO_DESTROY}`);
  if (state?.isProtected)
    throw new UserError(
      `Somebody enabled the termination protection of ${stack}, so nothing was destroyed. To destroy it anyway, first run \`aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stack}\`.`,
    );
};

/**
 * Deletes a stage without `keepData`, or what is left of a stage that never ran or whose deletion failed. Throws a
 * UserError if the stage keeps its data, or if the stack does not exist.
 */
export const destroy = async (
  deployment: Deployment,
  keepData: boolean,
  tools: Tools & { confirm: (question: string) => Promise<boolean> },
): Promise<boolean> => {
  const { account, say, confirm } = tools;
  const stage = stageOf(deployment);
  const stack = stackName(stage);
  const { account: id, region } = await account.identity();
  const now = await waitUntilStable(stack, tools);
  if (now.state === null)
    throw new UserError(`The account ${id} has no stack ${stack} in ${region}, so there is nothing to destroy.`);
  await refuseToLoseData({ stack, stage, keepData }, now, tools);
  const runs = now.situation === 'running' || now.situation === 'half updated';
  const what = runs
    ? 'its table will be deleted too'
    : `it is in ${now.state.status}, and what is left of it will be deleted`;
  say(`stack ${stack}, account ${id}, region ${region}: ${what}`);
  if (!(await confirm(`Delete the stack ${stack}?`))) {
    say('Nothing was destroyed.');
    return false;
  }
  return deleteStack({ stack, app: contextArguments(deployment.context) }, now, tools);
};
