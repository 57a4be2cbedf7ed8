import { toldOf } from '#shared/domain/people/subscription.ts';
import type { Account } from './account.ts';
import { sentenceOf } from './failure.ts';
import { addressesToldIn, concurrencyAlarmIn, functionsIn, type Template, tableIn } from './template.ts';

/**
 * The result of a check. `failed` means that deploying would fail; `warning` means that the deployed stage would lack
 * something. `says` is a sentence with the advice what to do.
 */
export type Check = {
  what: string;
  verdict: 'ok' | 'warning' | 'failed';
  says: string;
  /** SES does not send for the sender of the stage, so the stage is deployed without mail, and promises no mails. */
  withoutMail?: true;
};

/**
 * The bootstrap version that the templates of this CDK need.
 * https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html
 */
export const LEAST_BOOTSTRAP = 6;
/**
 * Lambda keeps this much concurrency unreserved.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const KEPT_UNRESERVED = 100;
const MORE = 'ask AWS for more (Service Quotas, Lambda, "Concurrent executions")';

const isDenied = (error: unknown): boolean => /^(AccessDenied|AuthorizationError)/.test((error as Error).name);
/** Runs a check. When the credentials don't allow it, the result is a warning, so that the deployment goes on. */
const orUnchecked = async (what: string, check: () => Promise<Check>): Promise<Check> => {
  try {
    return await check();
  } catch (error) {
    if (!isDenied(error)) throw error;
    return { what, verdict: 'warning', says: `This could not be checked. ${sentenceOf(error)}` };
  }
};

type Asks<K extends keyof Account> = Pick<Account, K>;

/** Is the account bootstrapped for the CDK? */
export const checkBootstrap = ({ outputs, identity }: Asks<'outputs' | 'identity'>): Promise<Check> =>
  orUnchecked('bootstrap', async () => {
    const what = 'bootstrap';
    const [toolkit, { account, region }] = await Promise.all([outputs('CDKToolkit'), identity()]);
    const command = `run \`npx cdk bootstrap aws://${account}/${region}\``;
    if (!toolkit)
      return { what, verdict: 'failed', says: `The CDK has nothing in this account and region yet: ${command}.` };
    const version = Number(toolkit.BootstrapVersion ?? 0);
    if (version >= LEAST_BOOTSTRAP) return { what, verdict: 'ok', says: `version ${version}` };
    return {
      what,
      verdict: 'failed',
      says: `The bootstrap stack has version ${version}, and ${LEAST_BOOTSTRAP} is needed: ${command}.`,
    };
  });

/** May mails be sent from an address to anybody? The result is `ok`, or says what prevents it. */
export const checkMail = (
  { mayMailFrom, isMailSandboxed }: Asks<'mayMailFrom' | 'isMailSandboxed'>,
  sender: string,
): Promise<Check> =>
  orUnchecked('mail', async () => {
    const what = 'mail';
    const answers = 'password reset answers "false"';
    if (sender === '')
      return {
        what,
        verdict: 'warning',
        says: `The stage has no mailSender, so ${answers}: name one (-c mailSender=ADDRESS).`,
      };
    const domain = sender.slice(sender.indexOf('@') + 1);
    const isVerified = (await mayMailFrom(sender)) || (await mayMailFrom(domain));
    const without = `so this is deployed without mail, and ${answers}`;
    if (!isVerified)
      return {
        what,
        verdict: 'warning',
        withoutMail: true,
        says: `SES has not verified ${sender} or ${domain}, ${without}: run \`aws sesv2 create-email-identity --email-identity ${domain}\`, follow its mail or DNS records, and deploy again.`,
      };
    if (await isMailSandboxed())
      return {
        what,
        verdict: 'warning',
        withoutMail: true,
        says: `SES is in its sandbox here and writes to verified addresses alone, ${without}: ask for production access (\`aws sesv2 put-account-details\`, or the SES console), and deploy again.`,
      };
    return { what, verdict: 'ok', says: `from ${sender}` };
  });

/**
 * Does the account have enough concurrency for the reservations of a stage? `own` gives what the deployed stack
 * reserves now.
 */
export const checkConcurrency = (
  { concurrency }: Asks<'concurrency'>,
  { wanted, own }: { wanted: number; own: () => Promise<number> },
): Promise<Check> =>
  orUnchecked('concurrency', async () => {
    const what = 'concurrency';
    const [{ total, unreserved }, ownNow] = await Promise.all([concurrency(), own()]);
    const free = unreserved + ownNow - KEPT_UNRESERVED;
    if (wanted > Math.max(0, free))
      return {
        what,
        verdict: 'failed',
        says: `The stage reserves ${wanted} invocations at a time, and the account has ${Math.max(0, free)} to reserve: lower -c concurrency, or ${MORE}.`,
      };
    if (total <= KEPT_UNRESERVED)
      return {
        what,
        verdict: 'warning',
        says: `The account runs ${total} invocations at a time, for all functions together: enough to try it, too few where lives depend on it; ${MORE}.`,
      };
    const reserved =
      wanted > 0 ? `${wanted} of them reserved` : 'none of them reserved for what falls need (-c concurrency)';
    return { what, verdict: 'ok', says: `${total} invocations at a time, ${reserved}` };
  });

/** Is somebody told of the alarms of a stage, and can that of the account's concurrency ring before it is used up? */
export const checkAlarms = ({ concurrency }: Asks<'concurrency'>, template: Template): Promise<Check> =>
  orUnchecked('alarms', async () => {
    const what = 'alarms';
    const addresses = addressesToldIn(template);
    if (addresses.length === 0)
      return {
        what,
        verdict: 'warning',
        says: 'Alarms are seen in CloudWatch alone, and nobody is told of them: name somebody (-c alarmEmail=ADDRESS).',
      };
    const { total } = await concurrency();
    const most = concurrencyAlarmIn(template);
    if (most >= total)
      return {
        what,
        verdict: 'warning',
        says: `The alarm of the account's concurrency rings at ${most} invocations at a time, and the account has ${total}: say so (-c accountConcurrency=${total}), or ${MORE}.`,
      };
    return { what, verdict: 'ok', says: `to ${addresses.join(', ')}` };
  });

/** Has somebody of those at `addresses` confirmed it, and may the alarms of the deployed stack wake somebody? */
export const checkSubscriptions = (
  { outputs, subscriptions }: Asks<'outputs' | 'subscriptions'>,
  stack: string,
  addresses: readonly string[],
): Promise<Check> =>
  orUnchecked('told', async () => {
    const what = 'told';
    const topic = (await outputs(stack))?.AlarmTopic;
    if (topic === undefined) return { what, verdict: 'ok', says: 'nobody before the first deployment' };
    const { confirmed, waking } = toldOf(await subscriptions(topic));
    if (confirmed.length === 0)
      return {
        what,
        verdict: 'warning',
        says: `Nobody is told of alarms yet: ${addresses.join(', ')} must follow the link in the mail "AWS Notification - Subscription Confirmation". It is good for two days; for another one see lib/aws/runbook.md, "alarms-unheard".`,
      };
    if (waking.length === 0)
      return {
        what,
        verdict: 'warning',
        says: `Alarms go to ${confirmed.map(({ endpoint }) => endpoint).join(', ')}, and an e-mail wakes nobody at night: add a pager (\`aws sns subscribe --topic-arn ${topic} --protocol https --notification-endpoint URL\`), or a phone (--protocol sms, and its number).`,
      };
    return { what, verdict: 'ok', says: `${confirmed.length} confirmed, ${waking.length} of them not by e-mail` };
  });

/** Of a stack from before functions had fixed names it is not known what runs. */
export const UNNAMED =
  'The stack was deployed by a version that is too old for this: deploy this version first, with all settings as before';

/**
 * Does the stage stay on its table, or does nothing run that works on it? While functions change over one after the other,
 * one would write what another one does not find.
 */
export const checkTable = (
  { template: deployedOf, mappings }: Asks<'template' | 'mappings'>,
  stack: string,
  template: Template,
): Promise<Check> =>
  orUnchecked('table', async () => {
    const what = 'table';
    const deployed: Template = JSON.parse((await deployedOf(stack)) ?? '{}');
    const table = tableIn(deployed);
    if (table === null || table === tableIn(template)) return { what, verdict: 'ok', says: 'as deployed' };
    const functions = functionsIn(deployed);
    if (functions === null) return { what, verdict: 'failed', says: `${UNNAMED}, and then with another table.` };
    const fed = await mappings(functions.map(({ name }) => name));
    const running = new Set(fed.filter(({ state }) => state !== 'Disabled').map(({ functionName }) => functionName));
    if (running.size === 0) return { what, verdict: 'ok', says: 'another one, while nothing runs' };
    return {
      what,
      verdict: 'failed',
      says: `tableName is another one than deployed, and ${[...running].join(', ')} may still write to that: falls would be lost in between. \`npm run recover\` stops the stage first, recovers the table to a time, and starts it again: lib/aws/runbook.md, "Restore the table".`,
    };
  });

const signs = { ok: 'ok', warning: 'NOTE', failed: 'NOT OK' } as const;
export const checkLine = ({ what, verdict, says }: Check): string =>
  `${signs[verdict].padEnd(6)}  ${what.padEnd(11)}  ${says}`;
