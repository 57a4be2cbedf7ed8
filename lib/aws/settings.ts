import { isIP } from 'node:net';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Quotas, SomeQuotas } from '../../shared/domain/quota.ts';
import { concurrency } from './concurrency.ts';
import { flag, list, numbers, parsed, parts, type Setting, text, whole } from './setting.ts';
import { NO_PROXY, type ProxyInFront, readTrustedProxy } from './trusted-proxy.ts';

const range: Setting<string> = {
  otherwise: '',
  wants: 'a range like 10.1.0.0/16',
  read: (given) => {
    const [address = '', bits = '', ...more] = String(given).split('/');
    const isRange = /^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 6 ? 128 : 32) && more.length === 0;
    return isIP(address) !== 0 && isRange ? String(given) : null;
  },
};

const trustedProxy: Setting<ProxyInFront> = {
  otherwise: NO_PROXY,
  wants:
    'an object with header, secretHeader (names) and secret (16 characters or more, or sha256: and its hash in hex)',
  read: readTrustedProxy,
};

const logRetentionDays: Setting<RetentionDays> = {
  otherwise: RetentionDays.ONE_MONTH,
  wants: 'a number of days that CloudWatch knows, such as 7, 30, 90 or 365',
  read: (given) => (given !== '' && Number(given) in RetentionDays ? Number(given) : null),
};

const quotas: Setting<SomeQuotas> = {
  otherwise: {},
  wants: `a JSON object with whole numbers for some of: ${Object.keys(Quotas.shape).join(', ')}`,
  read: (given) => SomeQuotas.safeParse(parsed(given)).data ?? null,
};

/** Requests per second, and how many may come at once. */
const throttle = (rate: number, burst: number) =>
  numbers({ rate: whole(rate, 1, 100_000), burst: whole(burst, 1, 100_000) });

const address = text(/^$|^https:\/\/[a-z0-9.-]+[a-z0-9]$/, '', 'an address like https://cloud.example.org');
const certificate = text(
  /^$|^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  '',
  'the ARN of a certificate',
);
const mailAddress = text(/^$|^[^\s@]+@[^\s@]+$/, '', 'an e-mail address');

/**
 * Far above what one account may do (the functions count that), far below what the account's other APIs need to stay up:
 * an account has 10,000 at first, for all of its APIs together. What is published is up to 460 KB an answer (1.7 MB for
 * who takes no gzip), to anybody; caches keep it, so little is asked for.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
const apiThrottle = parts({
  reads: throttle(1_000, 2_000),
  writes: throttle(500, 1_000),
  logins: throttle(50, 100),
  published: throttle(5, 20),
});

const declare = <T>(about: string, setting: Setting<T>): Setting<T> & { about: string } => ({ about, ...setting });

/** Everything that differs between stages, with a default each, so that `cdk synth` needs nothing. */
export const settings = {
  name: declare('Its name.', text(/^[a-z][a-z0-9-]{1,15}$/, 'dev', '2 to 16 lower-case letters, digits and hyphens')),
  publicUrl: declare("Address of the service without /api/v1; empty: API Gateway's own.", address),
  certificateArn: declare(
    'Certificate (ACM, same region) for the host of `publicUrl`; empty: something in front of the API terminates TLS.',
    certificate,
  ),
  deviceUrl: declare("Address of the devices' door without /api/v1; empty: API Gateway's own.", address),
  deviceCertificateArn: declare(
    'Certificate (ACM, same region) for the host of `deviceUrl`; empty: something in front of the door terminates TLS.',
    certificate,
  ),
  mqtt: declare('Lets devices reach it by MQTT too, by AWS IoT Core.', flag(false)),
  mqttHost: declare(
    'Host that they connect to; empty: AWS names it, and then it can go only 7 days after it was disabled.',
    text(/^$|^[a-z0-9][a-z0-9.-]*\.[a-z]+$/, '', 'a host like mqtt.example.org'),
  ),
  mqttCertificateArn: declare('Certificate (ACM, same region) for `mqttHost`.', certificate),
  /** 60,000 devices that report once a minute make 1,000 requests a second. */
  deviceThrottle: declare('Requests per second of all devices together, and how many at once.', throttle(1_000, 2_000)),
  throttle: declare(
    'Requests per second of all apps together to an operation of each kind, and how many at once.',
    apiThrottle,
  ),
  waf: declare(
    'Puts a web ACL in front of the API of the apps. HTTP APIs, so the door of devices, take none.',
    flag(false),
  ),
  loginRate: declare(
    'Logins and password resets that one address may try in 5 minutes, with `waf`.',
    whole(100, 10, 1_000_000),
  ),
  concurrency: declare('Invocations at a time that are kept for the functions that falls need; 0: none.', concurrency),
  accountConcurrency: declare(
    'Invocations at a time that the account has in all; an alarm tells at 80 %.',
    whole(1_000, 10, 1_000_000),
  ),
  serviceName: declare('What the service is called.', text(/^[^\p{Cc}]{1,64}$/u, 'Sensor Cloud', '1 to 64 characters')),
  serviceVersion: declare('Its version.', text(/^[\w.+-]{1,32}$/, '0.0.0', 'a version')),
  mailSender: declare('Address that mails come from; empty: this stage sends none.', mailAddress),
  rateLimit: declare('Requests per second of an account or address; 0: no limit.', whole(30, 0, 1_000_000)),
  trustedProxy: declare('The one hop in front of the API that is believed who called.', trustedProxy),
  quotas: declare('What a customer can have at most, where that is not as usual.', quotas),
  sensorInactiveAfter: declare('Seconds of silence after which a sensor is inactive.', whole(300, 1, 86_400)),
  allowPrivateTargets: declare('Lets webhooks call private addresses.', flag(false)),
  allowedTargetRanges: declare('Ranges that webhooks may call although they are private.', list(range, 50)),
  deliveryDeadline: declare('Seconds over one whole attempt to deliver.', whole(15, 1, 15)),
  retrySchedule: declare(
    'Seconds before each attempt; empty: the built-in retry schedule.',
    list(whole(0, 0, 86_400), 20),
  ),
  keepData: declare(
    'Nothing that holds data is deleted with the stack. `false` only makes sense where data is made up.',
    flag(true),
  ),
  tableName: declare(
    'A table to work on that was recovered (runbook.md); empty: that of the stack.',
    text(/^$|^[\w.-]{3,255}$/, '', 'the name of a table'),
  ),
  logRetentionDays: declare('How long logs are kept.', logRetentionDays),
  alarmEmail: declare('Who is told of alarms; empty: nobody, they are only seen.', mailAddress),
  silenceMinutes: declare(
    'Minutes without any message of any device after which an alarm tells; 0: none does.',
    whole(0, 0, 1_440),
  ),
  runbookUrl: declare(
    'Where alarms say that the runbook is.',
    text(/^[!-~]{1,256}$/, 'lib/aws/runbook.md', 'an address or a path'),
  ),
} as const;

/** The settings of one stage. */
export type Stage = { readonly [K in keyof typeof settings]: (typeof settings)[K]['otherwise'] };

/** What the two kinds of stages have otherwise: those whose name begins with `dev` or `test`, and all others. */
export const presets = {
  dev: { keepData: false },
  prod: { waf: true, silenceMinutes: 15 },
} as const satisfies Record<string, Partial<Stage>>;

/** The preset of a stage by its name. */
export const presetOf = (name: string): Partial<Stage> => (/^(dev|test)/.test(name) ? presets.dev : presets.prod);
