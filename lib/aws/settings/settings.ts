import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  deliveryDeadline,
  goneAfter,
  metricsSeconds,
  pageOrigins,
  quotas,
  range,
  rateLimit,
  retrySchedule,
  secretOrHash,
  sensorInactiveAfter,
  serviceName,
  time,
} from '#shared/settings/kinds.ts';
import { telegramToken } from '#shared/settings/senders.ts';
import { flag, list, numbers, parts, type Setting, text, whole } from '#shared/settings/setting.ts';
import { NO_PROXY, type ProxyInFront, readTrustedProxy, whyNoProxy } from '../api/trusted-proxy.ts';
import { concurrency } from '../queues/concurrency.ts';
import { declare } from './declare.ts';
import { oidcSettings } from './oidc-settings.ts';

const trustedProxy: Setting<ProxyInFront> = {
  otherwise: NO_PROXY,
  wants: `a JSON object with header and secretHeader (names of at most 128 characters) and secret (${secretOrHash.wants})`,
  read: readTrustedProxy,
  why: whyNoProxy,
  isSecret: true,
};

const retentions = Object.values(RetentionDays).filter((days) => typeof days === 'number');
const logRetentionDays: Setting<RetentionDays> = {
  otherwise: RetentionDays.ONE_MONTH,
  wants: `one of ${retentions.join(', ')} (which is for ever)`,
  read: (given) => (given !== '' && Number(given) in RetentionDays ? Number(given) : null),
};

/** A throttle: requests per second, and the burst. */
const throttle = (rate: number, burst: number) =>
  numbers({ rate: whole(rate, 1, 100_000), burst: whole(burst, 1, 100_000) });

const address = text(/^$|^https:\/\/[a-z0-9.-]+[a-z0-9]$/, '', 'an address like https://cloud.example.org');
const certificate = text(
  /^$|^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  '',
  'the ARN of a certificate of ACM',
  'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c',
);
const mailAddress = text(/^$|^[^\s@]+@[^\s@]+$/, '', 'an e-mail address', 'cloud@example.org');

/**
 * The default throttles are far above the limits of one account (which the functions count), and far below the quota
 * of the AWS account, which is 10,000 at first for all of its APIs together. Published documents are up to 460 KB per
 * answer (1.7 MB without gzip) and open to anybody; caches keep them, so few requests are needed. The console takes
 * four requests (250 KB) to its login: whoever asks for it all the time must not keep it from those who watch over people.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
const apiThrottle = parts({
  reads: throttle(1_000, 2_000),
  writes: throttle(500, 1_000),
  logins: throttle(50, 100),
  published: throttle(5, 20),
  console: throttle(200, 400),
});

/** All settings in which stages differ. Each has a default, so that `cdk synth` needs no arguments. */
export const settings = {
  name: declare(
    'The name of the stage.',
    text(/^[a-z][a-z0-9-]{1,15}$/, 'dev', '2 to 16 lower-case letters, digits and hyphens'),
  ),
  publicUrl: declare('Address of the service without /api/v1; empty: the address that API Gateway gives it.', address),
  certificateArn: declare(
    'Certificate (ACM, same region) for the host of `publicUrl`; empty: something in front of the API terminates TLS.',
    certificate,
  ),
  deviceUrl: declare(
    'Address of the API of the devices without /api/v1; empty: the address that API Gateway gives it.',
    address,
  ),
  deviceCertificateArn: declare(
    'Certificate (ACM, same region) for the host of `deviceUrl`; empty: something in front of the API terminates TLS.',
    certificate,
  ),
  mqtt: declare(
    'Lets devices also connect by MQTT, with AWS IoT Core: at most one stage of an account and region.',
    flag(false),
  ),
  mqttHost: declare(
    'Host that devices connect to by MQTT; empty: AWS gives one, which can be deleted only 7 days after it was disabled.',
    text(/^$|^[a-z0-9][a-z0-9.-]*\.[a-z]+$/, '', 'a host like mqtt.example.org'),
  ),
  mqttCertificateArn: declare('Certificate (ACM, same region) for `mqttHost`.', certificate),
  /** As an example, 60,000 devices that report once a minute make 1,000 requests a second. */
  deviceThrottle: declare('Requests per second of all devices together, and the burst.', throttle(1_000, 2_000)),
  throttle: declare(
    'Requests per second of all apps together to an operation, and the burst, for each kind of operation.',
    apiThrottle,
  ),
  waf: declare(
    'Puts a web ACL in front of the API of the apps. The API of the devices is an HTTP API, which cannot have one.',
    flag(false),
  ),
  loginRate: declare(
    'Logins and password resets that one address may try in 5 minutes, with `waf`.',
    whole(100, 10, 1_000_000),
  ),
  concurrency: declare('Reserved concurrency of the functions that falls need; 0: none is reserved.', concurrency),
  gradualDeployments: declare(
    'Gives a new version of the functions that falls pass through a tenth of the work for 5 minutes, and goes back when an alarm rings meanwhile.',
    flag(false),
  ),
  accountConcurrency: declare(
    'Concurrent invocations that the AWS account may have; an alarm fires at 80 %.',
    whole(1_000, 10, 1_000_000),
  ),
  serviceName: declare('The name of the service.', serviceName),
  serviceVersion: declare(
    'The version of the service; that of package.json for the commands of this repository.',
    text(/^[\w.+-]{1,32}$/, '0.0.0', '1 to 32 letters, digits and any of _ . + -'),
  ),
  mailSender: declare('Address that mails are sent from; empty: this stage sends no mails.', mailAddress),
  smsOrigin: declare(
    'Identity of AWS End User Messaging that SMS are sent from (the ARN of a phone number, a pool or a sender id); empty: this stage sends no SMS.',
    text(
      /^$|^arn:aws[a-z-]*:sms-voice:[a-z0-9-]+:\d{12}:(phone-number|pool|sender-id)\/[\w/-]+$/,
      '',
      'the ARN of a phone number, a pool or a sender id of AWS End User Messaging',
      'arn:aws:sms-voice:eu-central-1:123456789012:phone-number/phone-0a1b2c',
    ),
  ),
  telegramToken: declare(
    'Token of the bot of Telegram that sends messages to chats of users; empty: this stage sends none.',
    { ...telegramToken, read: (given) => (given === '' ? '' : telegramToken.read(given)) },
  ),
  ...oidcSettings,
  rateLimit: declare('Requests per second of an account or address; 0: no limit.', rateLimit),
  trustedProxy: declare(
    'The one proxy in front of the API whose header with the address of the caller is trusted.',
    trustedProxy,
  ),
  corsOrigins: declare('Origins whose pages may call the API with a token (CORS); empty: none.', pageOrigins),
  quotas: declare(
    'Quotas of a customer that differ from the built-in ones (`limits.quotas` in `GET /server/config`).',
    quotas,
  ),
  sensorInactiveAfter: declare('Seconds of silence after which a sensor is inactive.', sensorInactiveAfter),
  allowPrivateTargets: declare('Lets webhooks call private addresses.', flag(false)),
  allowedTargetRanges: declare('Private address ranges that webhooks may call.', list(range, 50)),
  deliveryDeadline: declare('Seconds after which an attempt to deliver fails.', deliveryDeadline),
  goneAfterSeconds: declare(
    'Seconds for which a receiver has to answer 410, and nothing else, until its webhook is switched off; 0: once.',
    goneAfter,
  ),
  keyArn: declare(
    "A key in the stage's region for secrets of webhooks: a replica of another stage's (runbook.md); empty: a key of its own.",
    text(
      /^$|^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
      '',
      'the ARN of a key of KMS',
      'arn:aws:kms:eu-central-1:123456789012:key/mrk-0a1b2c',
    ),
  ),
  multiRegionKey: declare(
    'Makes the key of the secrets one that can be copied to another region. It cannot be changed after the first deployment.',
    flag(true),
  ),
  retrySchedule: declare('Seconds before each attempt; empty: the built-in retry schedule.', retrySchedule),
  canary: declare(
    'Lets a test sensor fall every 5 minutes, from the API of the devices to a webhook at the public address, and rings when it does not come back.',
    flag(false),
  ),
  heartbeatUrl: declare(
    "Address outside that is called after each fall of the canary that came back (a dead man's switch); empty: none.",
    {
      ...text(/^$|^https:\/\/[!-~]{1,500}$/, '', 'https:// and at most 500 printable characters without spaces'),
      isSecret: true,
    },
  ),
  makerAFeedbackUrl: declare(
    'Address at maker A that gets feedback of users, signed and retried as webhooks are; empty: none is forwarded.',
    {
      ...text(
        /^$|^https:\/\/[!-"$-?A-[\]-~]{1,500}$/,
        '',
        'https:// and at most 500 printable characters without spaces, and without # @ \\',
      ),
      isSecret: true,
    },
  ),
  keepData: declare(
    'Keeps everything that holds data when the stack is deleted. `false` is only meant for stages without real data.',
    flag(true),
  ),
  tableName: declare(
    'A recovered table (runbook.md) to use; empty: the table of the stack.',
    text(/^$|^[\w.-]{3,255}$/, '', '3 to 255 letters, digits and any of _ . -'),
  ),
  credentialsSince: declare(
    'Sessions, access tokens and codes for a new password that were made before this time are void; empty: none is.',
    time,
  ),
  metricsSeconds: declare(
    'Seconds for which a process adds up the messages that it accepted before it writes their number; 0: each call writes it.',
    metricsSeconds,
  ),
  deviceMemory: declare(
    'Memory in MB of the functions that take the messages of devices; their share of a CPU grows with it.',
    whole(512, 256, 3_008),
  ),
  deviceAccessLog: declare(
    'Keeps a line for each call of a device, with address, route and status; it costs USD 0.18 for a million.',
    flag(false),
  ),
  logRetentionDays: declare('Days for which logs are kept.', logRetentionDays),
  alarmEmail: declare('Address that alarms are sent to; empty: they are only visible in CloudWatch.', mailAddress),
  dashboard: declare('Shows the health of the stage on one page of CloudWatch; USD 3 a month.', flag(true)),
  silenceMinutes: declare(
    'Minutes without a message of any device after which an alarm fires; 0: no such alarm.',
    whole(0, 0, 1_440),
  ),
  runbookUrl: declare(
    'Address or path of the runbook, which is in the text of each alarm.',
    text(
      /^[!-~]{1,256}$/,
      'lib/aws/runbook.md',
      'an address or a path of at most 256 printable characters without spaces',
    ),
  ),
} as const;

/** The values of all settings of one stage. */
export type Stage = { readonly [K in keyof typeof settings]: (typeof settings)[K]['otherwise'] };

/**
 * The defaults that depend on the kind of a stage: `dev` is for the names `dev` and `test`, alone or before a digit or
 * hyphen, `prod` for all others.
 */
export const presets = {
  dev: { keepData: false, dashboard: false },
  prod: { waf: true, gradualDeployments: true, silenceMinutes: 15, canary: true },
} as const satisfies Record<string, Partial<Stage>>;

/** Gives the preset of a stage by its name. */
export const presetOf = (name: string): Partial<Stage> =>
  /^(dev|test)(?![a-z])/.test(name) ? presets.dev : presets.prod;
