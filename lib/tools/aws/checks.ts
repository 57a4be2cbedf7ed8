import { alarmRecipients } from '#shared/domain/people/subscription.ts';
import type { AccountClient } from './account.ts';
import { explainAwsError, isDenied } from './failure.ts';
import { concurrencyAlarmIn, functionsIn, subscriberAddressesIn, type Template, tableIn } from './template.ts';

/**
 * The result of a check. `failed` means that a deployment would fail, and `warning` means that the deployed stage would
 * lack something. `says` explains what to do.
 */
export type Check = {
  what: string;
  verdict: 'ok' | 'warning' | 'failed';
  says: string;
  /** SES does not accept the stage's sender, so the stage is deployed without a sender and offers no email. */
  withoutMail?: true;
};

/**
 * The bootstrap version required by the CDK templates.
 * https://docs.aws.amazon.com/cdk/v2/guide/bootstrapping-env.html
 */
export const MIN_BOOTSTRAP_VERSION = 6;

/**
 * The concurrency Lambda keeps unreserved.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const KEPT_UNRESERVED = 100;
const REQUEST_MORE = 'request more (Service Quotas, Lambda, "Concurrent executions")';

/** Runs a check. If the credentials do not allow it, returns a warning, so the deployment continues. */
export const orUnchecked = async (what: string, check: () => Promise<Check>): Promise<Check> => {
  try {
    return await check();
  } catch (error) {
    if (!isDenied(error)) throw error;
    return { what, verdict: 'warning', says: `Could not be checked. ${explainAwsError(error)}` };
  }
};

type Calls<K extends keyof AccountClient> = Pick<AccountClient, K>;

/** Checks that the account is bootstrapped for the CDK. */
export const checkBootstrap = ({ outputs, identity }: Calls<'outputs' | 'identity'>): Promise<Check> =>
  orUnchecked('bootstrap', async () => {
    const what = 'bootstrap';
    const [toolkit, { account, region }] = await Promise.all([outputs('CDKToolkit'), identity()]);
    const command = `run \`npx cdk bootstrap aws://${account}/${region}\``;
    if (!toolkit)
      return {
        what,
        verdict: 'failed',
        says: `The account is not bootstrapped for the CDK in this region: ${command}.`,
      };
    const version = Number(toolkit.BootstrapVersion ?? 0);
    if (version >= MIN_BOOTSTRAP_VERSION) return { what, verdict: 'ok', says: `version ${version}` };
    return {
      what,
      verdict: 'failed',
      says: `The bootstrap stack has version ${version}, but ${MIN_BOOTSTRAP_VERSION} is required: ${command}.`,
    };
  });

/** Checks that SES sends email from the given address to anyone. */
export const checkMail = (
  { mayMailFrom, isMailSandboxed }: Calls<'mayMailFrom' | 'isMailSandboxed'>,
  sender: string,
): Promise<Check> =>
  orUnchecked('mail', async () => {
    const what = 'mail';
    const consequence =
      'users cannot reset their passwords by email, and nobody is emailed about alarms that reached nobody';
    if (sender === '')
      return {
        what,
        verdict: 'warning',
        says: `The stage has no mailSender, so ${consequence}: set one (-c mailSender=ADDRESS).`,
      };
    const domain = sender.slice(sender.indexOf('@') + 1);
    const isVerified = (await mayMailFrom(sender)) || (await mayMailFrom(domain));
    const without = `so the stage is deployed without email, and ${consequence}`;
    if (!isVerified)
      return {
        what,
        verdict: 'warning',
        withoutMail: true,
        says: `SES has not verified ${sender} or ${domain}, ${without}: run \`aws sesv2 create-email-identity --email-identity ${domain}\`, add the DNS records, and deploy again.`,
      };
    if (await isMailSandboxed())
      return {
        what,
        verdict: 'warning',
        withoutMail: true,
        says: `SES is in its sandbox and sends only to verified addresses, ${without}: request production access (\`aws sesv2 put-account-details\`, or the SES console), and deploy again.`,
      };
    return { what, verdict: 'ok', says: `from ${sender}` };
  });

type ConcurrencyUse = { wanted: number; own: () => Promise<number>; queued?: number; capped?: number };

/** Returns the concurrency a stage can reserve. `own` is what the deployed stack already reserves. */
export const freeConcurrency = ({ unreserved }: { unreserved: number }, own: number): number =>
  Math.max(0, unreserved + own - KEPT_UNRESERVED);

/**
 * Checks that the account has enough concurrency for a stage's reservations. `own` returns what the deployed stack
 * already reserves, `queued` is the concurrency available to all queues, and `capped` is the part of `wanted` that caps
 * functions.
 */
export const checkConcurrency = (
  { concurrency }: Calls<'concurrency'>,
  { wanted, own, queued = 0, capped = 0 }: ConcurrencyUse,
): Promise<Check> =>
  orUnchecked('concurrency', async () => {
    const what = 'concurrency';
    const [account, ownNow] = await Promise.all([concurrency(), own()]);
    const { total } = account;
    const free = freeConcurrency(account, ownNow);
    if (wanted > free)
      return {
        what,
        verdict: 'failed',
        says: `The stage reserves ${wanted} concurrent executions, but the account has only ${free} to reserve: lower -c concurrency or -c concurrencyCaps, or ${REQUEST_MORE}.`,
      };
    if (total <= KEPT_UNRESERVED)
      return {
        what,
        verdict: 'warning',
        says: `The account allows ${total} concurrent executions for all functions together, so none can be reserved (-c concurrency), and the queues alone may claim ${queued}. That is enough to try the service, but too few for production: ${REQUEST_MORE}.`,
      };
    const kept = wanted - capped;
    const reserved = kept > 0 ? `${kept} of them reserved` : 'none of them reserved for falls (-c concurrency)';
    const others = 'feeds, the console and exports';
    const caps = capped > 0 ? `at most ${capped} for ${others}` : `no cap for ${others} (-c concurrencyCaps)`;
    return { what, verdict: 'ok', says: `${total} concurrent executions, ${reserved}, ${caps}` };
  });

/** Checks that a stage's alarms have a recipient, and that the concurrency alarm fires before the limit is reached. */
export const checkAlarms = ({ concurrency }: Calls<'concurrency'>, template: Template): Promise<Check> =>
  orUnchecked('alarms', async () => {
    const what = 'alarms';
    const addresses = subscriberAddressesIn(template);
    if (addresses.length === 0)
      return {
        what,
        verdict: 'warning',
        says: 'Alarms are only visible in CloudWatch, and nobody is notified: set an address (-c alarmEmail=ADDRESS).',
      };
    const { total } = await concurrency();
    const threshold = concurrencyAlarmIn(template);
    if (threshold >= total)
      return {
        what,
        verdict: 'warning',
        says: `The concurrency alarm fires at ${threshold} concurrent executions, but the account allows only ${total}: set the limit (-c accountConcurrency=${total}), or ${REQUEST_MORE}.`,
      };
    return { what, verdict: 'ok', says: `to ${addresses.join(', ')}` };
  });

/** Checks that the deployed stack's alarms have a confirmed subscription that can wake someone. */
export const checkSubscriptions = (
  { outputs, subscriptions }: Calls<'outputs' | 'subscriptions'>,
  stack: string,
  addresses: readonly string[],
): Promise<Check> =>
  orUnchecked('subscribers', async () => {
    const what = 'subscribers';
    const topic = (await outputs(stack))?.AlarmTopic;
    if (topic === undefined) return { what, verdict: 'ok', says: 'none before the first deployment' };
    const { confirmed, waking } = alarmRecipients(await subscriptions(topic));
    if (confirmed.length === 0)
      return {
        what,
        verdict: 'warning',
        says: `Nobody is notified of alarms yet: ${addresses.join(', ')} must follow the link in the email "AWS Notification - Subscription Confirmation". Within ten minutes after that, the active alarms are sent. The link is valid for two days; lib/aws/runbook.md, "alarms-unheard", shows how to get a new one.`,
      };
    if (waking.length === 0)
      return {
        what,
        verdict: 'warning',
        says: `Alarms go to ${confirmed.map(({ endpoint }) => endpoint).join(', ')}, and an email wakes nobody at night: add a pager (\`aws sns subscribe --topic-arn ${topic} --protocol https --notification-endpoint URL\`) or a phone (--protocol sms).`,
      };
    return { what, verdict: 'ok', says: `${confirmed.length} confirmed, ${waking.length} of them other than email` };
  });

/**
 * The error for a stack whose functions have no fixed names yet, so the tools cannot find out which ones are running.
 */
export const STACK_TOO_OLD =
  'The stack was deployed by a version that is too old: deploy this version first, with unchanged settings';

/**
 * Checks that the stage keeps its table, or that none of its functions are running. A deployment switches functions one
 * by one, so some would write to one table while others still read from another.
 */
export const checkTable = (
  { template: deployedOf, mappings }: Calls<'template' | 'mappings'>,
  stack: string,
  template: Template,
): Promise<Check> =>
  orUnchecked('table', async () => {
    const what = 'table';
    const deployed: Template = JSON.parse((await deployedOf(stack)) ?? '{}');
    const table = tableIn(deployed);
    if (table === null || table === tableIn(template)) return { what, verdict: 'ok', says: 'unchanged' };
    const functions = functionsIn(deployed);
    if (functions === null) return { what, verdict: 'failed', says: `${STACK_TOO_OLD}, then with the other table.` };
    const fed = await mappings(functions.map(({ name }) => name));
    const running = new Set(fed.filter(({ state }) => state !== 'Disabled').map(({ functionName }) => functionName));
    if (running.size === 0) return { what, verdict: 'ok', says: 'changed, while no function runs' };
    return {
      what,
      verdict: 'failed',
      says: `tableName differs from the deployed table, to which ${[...running].join(', ')} may still write, so falls would be lost. \`npm run recover\` stops the stage first, restores the table and starts the stage again: lib/aws/runbook.md, "Restore the table".`,
    };
  });

const signs = { ok: 'ok', warning: 'NOTE', failed: 'NOT OK' } as const;
export const formatCheck = ({ what, verdict, says }: Check): string =>
  `${signs[verdict].padEnd(6)}  ${what.padEnd(11)}  ${says}`;
