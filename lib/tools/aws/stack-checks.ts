import type { AccountClient } from './account.ts';
import { type Check, orUnchecked } from './checks.ts';
import { deviceRateIn, hasAssignedMqttHost, keysIn, smsOriginIn, type Template } from './template.ts';

type Calls<K extends keyof AccountClient> = Pick<AccountClient, K>;

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_RESOURCES = 500;

/**
 * The requests per second allowed for all of an account's APIs combined in a region, and the regions with a lower
 * limit.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const API_RATE = 10_000;
const LOWER_API_RATE = 2_500;
const LOWER_API_RATE_REGIONS =
  /^(af-south-1|ap-south-2|ap-southeast-[3457]|ca-west-1|eu-central-2|eu-south-[12]|il-central-1|me-central-1|mx-central-1)$/;

/**
 * The messages per second accepted by a high-throughput FIFO queue without batches, by region. Each device request is
 * one message.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
const FIFO_RATES: readonly (readonly [regions: RegExp, rate: number])[] = [
  [/^(us-east-1|us-west-2|eu-west-1)$/, 70_000],
  [/^(us-east-2|eu-central-1)$/, 19_000],
  [/^(ap-south-1|ap-southeast-[12]|ap-northeast-1)$/, 9_000],
  [/^(eu-west-2|sa-east-1)$/, 4_500],
];
const OTHER_FIFO_RATE = 2_400;
const fifoRateIn = (region: string): number =>
  FIFO_RATES.find(([regions]) => regions.test(region))?.[1] ?? OTHER_FIFO_RATE;

/**
 * The invocations per second, across all functions, for each concurrent execution the account allows.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const INVOCATIONS_PER_EXECUTION = 10;

/** Checks the template against the CloudFormation quotas, and the API Gateway, SQS and Lambda quotas in the region. */
export const checkQuotas = (
  { identity, concurrency }: Calls<'identity' | 'concurrency'>,
  template: Template,
): Promise<Check> =>
  orUnchecked('quotas', async () => {
    const what = 'quotas';
    const [{ region }, { total }] = await Promise.all([identity(), concurrency()]);
    const count = Object.keys(template.Resources ?? {}).length;
    const resources = `${count} of the ${MAX_RESOURCES} resources of a stack`;
    if (count > MAX_RESOURCES) return { what, verdict: 'failed', says: `The template has ${resources}.` };
    const rate = deviceRateIn(template);
    const rates = {
      api: LOWER_API_RATE_REGIONS.test(region) ? LOWER_API_RATE : API_RATE,
      queue: fifoRateIn(region),
      functions: INVOCATIONS_PER_EXECUTION * total,
    };
    const tooLow = [
      rate > rates.api &&
        `all APIs of an account in ${region} get ${rates.api} (request more: Service Quotas, API Gateway, "Throttle rate")`,
      rate > rates.queue && `a FIFO queue of SQS in ${region} takes ${rates.queue}`,
      rate > rates.functions &&
        `all functions together can be invoked ${rates.functions} times (request more: Service Quotas, Lambda, "Concurrent executions")`,
    ].filter((text) => text !== false);
    if (tooLow.length > 0)
      return {
        what,
        verdict: 'warning',
        says: `deviceThrottle allows ${rate} requests per second, but ${tooLow.join('; ')}. Lower it, or devices have to retry.`,
      };
    const quotas = `${rates.api} (API Gateway), ${rates.queue} (SQS) and ${rates.functions} (Lambda)`;
    return {
      what,
      verdict: 'ok',
      says: `${resources}; devices: ${rate} requests per second, in ${region} of ${quotas}`,
    };
  });

/** Checks that AWS sends the stage's SMS to any number. */
export const checkSms = ({ isSmsSandboxed }: Calls<'isSmsSandboxed'>, template: Template): Promise<Check> =>
  orUnchecked('sms', async () => {
    const what = 'sms';
    const origin = smsOriginIn(template);
    if (origin === '') return { what, verdict: 'ok', says: 'not offered (-c smsOrigin)' };
    if (!(await isSmsSandboxed())) return { what, verdict: 'ok', says: `from ${origin}` };
    return {
      what,
      verdict: 'warning',
      says: 'AWS End User Messaging is in its sandbox and sends only to verified numbers, for USD 1.00 a month: request production access and a higher limit.',
    };
  });

/** Checks which alarms are active in a deployed stack, and why. Returns a result for each of them. */
export const checkActiveAlarms = async (
  { resources, alarmStates }: Calls<'resources' | 'alarmStates'>,
  stack: string,
): Promise<Check[]> => {
  const what = 'active';
  const found: Check[] = [];
  const unchecked = await orUnchecked(what, async () => {
    const ofStack = (await resources(stack)).filter(({ type }) => type === 'AWS::CloudWatch::Alarm');
    const states = await alarmStates(ofStack.map(({ name }) => name));
    for (const { chapter, state, reason } of states)
      if (state === 'ALARM') found.push({ what, verdict: 'warning', says: `The alarm ${chapter} is on: ${reason}` });
    const waiting = states.filter(({ state }) => state === 'INSUFFICIENT_DATA').length;
    const says = `none of ${states.length} alarms is on; ${waiting} of them have not been evaluated yet`;
    return { what, verdict: 'ok', says };
  });
  return found.length > 0 ? found : [unchecked];
};

/** Checks that devices connect to a custom host name. */
export const checkMqtt = (template: Template): Check => {
  const what = 'mqtt';
  if (!hasAssignedMqttHost(template)) return { what, verdict: 'ok', says: 'no host of AWS' };
  return {
    what,
    verdict: 'warning',
    says: 'Devices connect by MQTT to a host that AWS assigns. It can be deleted only 7 days after it was disabled, and until then neither can this stack: set -c mqttHost and -c mqttCertificateArn.',
  };
};

/** Checks that the deployed stack's keys stay unchanged, because CloudFormation refuses to change them. */
export const checkKey = (
  { template: deployedOf }: Calls<'template'>,
  stack: string,
  template: Template,
): Promise<Check> =>
  orUnchecked('key', async () => {
    const what = 'key';
    const deployed = keysIn(JSON.parse((await deployedOf(stack)) ?? '{}'));
    const changed = [...keysIn(template)].find(([id, isMultiRegion]) => deployed.get(id) === !isMultiRegion);
    if (!changed) return { what, verdict: 'ok', says: deployed.size > 0 ? 'unchanged' : 'new' };
    return {
      what,
      verdict: 'failed',
      says: `The stage was deployed ${changed[1] ? 'without' : 'with'} a key that can be replicated to another region, which cannot be changed: deploy with -c multiRegionKey=${!changed[1]}.`,
    };
  });
