import type { AccountClient } from './account.ts';
import { type Check, orUnchecked } from './checks.ts';
import { deviceRateIn, hasAssignedMqttHost, keysIn, smsOriginIn, type Template } from './template.ts';

type Calls<K extends keyof AccountClient> = Pick<AccountClient, K>;

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_RESOURCES = 500;

/**
 * The requests per second that all APIs of an account may get in a region, and the regions with less.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const API_RATE = 10_000;
const LOWER_API_RATE = 2_500;
const LOWER_API_RATE_REGIONS =
  /^(af-south-1|ap-south-2|ap-southeast-[3457]|ca-west-1|eu-central-2|eu-south-[12]|il-central-1|me-central-1|mx-central-1)$/;

/** Checks the template against the quotas of CloudFormation and of the region. */
export const checkQuotas = ({ identity }: Calls<'identity'>, template: Template): Promise<Check> =>
  orUnchecked('quotas', async () => {
    const what = 'quotas';
    const { region } = await identity();
    const count = Object.keys(template.Resources ?? {}).length;
    const resources = `${count} of the ${MAX_RESOURCES} resources of a stack`;
    if (count > MAX_RESOURCES) return { what, verdict: 'failed', says: `The template has ${resources}.` };
    const allowed = LOWER_API_RATE_REGIONS.test(region) ? LOWER_API_RATE : API_RATE;
    const rate = deviceRateIn(template);
    if (rate > allowed)
      return {
        what,
        verdict: 'warning',
        says: `deviceThrottle allows ${rate} requests per second, but all APIs of an account in ${region} get ${allowed}: lower it, or request more (Service Quotas, API Gateway, "Throttle rate").`,
      };
    return {
      what,
      verdict: 'ok',
      says: `${resources}; devices: ${rate} of ${allowed} requests per second in ${region}`,
    };
  });

/** Checks that AWS sends SMS of the stage to anybody. */
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

/** Checks that the keys of the deployed stack stay as they are, because CloudFormation refuses to change them. */
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
