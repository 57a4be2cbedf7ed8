import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { environment } from '#shared/settings/environment.ts';
import { flag, oneOfNumbers, parts, text, wholeNumber } from '#shared/settings/kinds.ts';
import { declare, type Setting, type SettingValues } from '#shared/settings/setting.ts';
import { NO_PROXY, trustedProxySchema } from '../api/trusted-proxy.ts';
import { concurrencySchema, NOTHING_RESERVED } from '../queues/concurrency.ts';
import { concurrencyCapsSchema, NOTHING_CAPPED } from './concurrency-caps.ts';

const retentions = Object.values(RetentionDays).filter((days) => typeof days === 'number');

/** A throttle: requests per second, and the burst. */
type Throttle = { rate: number; burst: number };
const throttle = (defaults: Throttle) =>
  parts<Throttle>(defaults, { rate: wholeNumber(1, 100_000), burst: wholeNumber(1, 100_000) });
const deviceThrottle = { rate: 1_000, burst: 2_000 };
/**
 * The throttles are far above a single user's rate limit and far below the AWS account quota, by default 10,000
 * requests per second for all of its APIs. Published documents are public and up to 460 KB (1.7 MB without gzip), but
 * caches keep them, so few requests are needed. The console needs four requests (250 KB) to show its login, and a
 * separate throttle keeps callers that flood the rest of the API from blocking it.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
const apiThrottles = {
  reads: { rate: 1_000, burst: 2_000 },
  writes: { rate: 500, burst: 1_000 },
  logins: { rate: 50, burst: 100 },
  published: { rate: 5, burst: 20 },
  console: { rate: 200, burst: 400 },
};

const certificate = () =>
  text(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, 'the ARN of an ACM certificate');
const secretName = () => text(/^[\w/+=.@:-]{1,512}$/, 'the name or ARN of a secret');
const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c';

/** Stage-only settings. Each has a default, so `cdk synth` does not need any arguments. */
const own = declare({
  stage: {
    schema: () => text(/^[a-z][a-z0-9-]{1,15}$/, '2 to 16 lower-case letters, digits and hyphens'),
    default: 'dev',
    about: { help: 'Stage name.' },
  },
  preset: {
    schema: () => text(/^(dev|prod|home)$/, 'dev, prod or home'),
    default: '',
    about: {
      help:
        'Which defaults the stage has. `home` suits one home: as `prod`, but without the web ACL, the dashboard and ' +
        'the metrics shown only there.',
      byDefault: '`prod`, or `dev` for stages called dev or test',
    },
  },
  certificateArn: {
    schema: certificate,
    default: '',
    about: {
      help:
        'ACM certificate (same region) for the host in `publicUrl`. Without it, something in front of the API ' +
        'terminates TLS.',
      example: CERTIFICATE,
    },
  },
  deviceCertificateArn: {
    schema: certificate,
    default: '',
    about: {
      help:
        'ACM certificate (same region) for the host in `deviceUrl`. Without it, something in front of the API ' +
        'terminates TLS.',
      example: CERTIFICATE,
    },
  },
  mqtt: {
    schema: flag,
    default: false,
    about: {
      help:
        'Lets devices also connect by MQTT, through AWS IoT Core. Only one stage per account and region can use ' +
        'MQTT. Requires `mqttHost`, except in dev and test.',
    },
  },
  mqttHost: {
    schema: () => text(/^[a-z0-9][a-z0-9.-]*\.[a-z]+$/, 'a host like mqtt.example.org'),
    default: '',
    about: {
      help: 'Host that devices connect to by MQTT.',
      byDefault: 'a host assigned by AWS, which can be deleted only 7 days after being disabled',
    },
  },
  mqttCertificateArn: {
    schema: certificate,
    default: '',
    about: { help: 'ACM certificate (same region) for `mqttHost`.', example: CERTIFICATE },
  },
  deviceApi: {
    schema: () => text(/^(http|alb)$/, 'http or alb'),
    default: 'http',
    about: {
      help:
        'What devices call: `http`, an HTTP API, or `alb`, an additional Application Load Balancer, which costs less ' +
        'for 600 sensors or more and requires `deviceCertificateArn`.',
    },
  },
  deviceThrottle: {
    schema: () => throttle(deviceThrottle),
    default: deviceThrottle,
    about: {
      help:
        'Requests per second from all devices together to the HTTP API, and the burst. For example, 60,000 devices ' +
        'reporting once a minute send 1,000 requests a second.',
    },
  },
  throttle: {
    schema: () =>
      parts<typeof apiThrottles>(apiThrottles, {
        reads: throttle(apiThrottles.reads),
        writes: throttle(apiThrottles.writes),
        logins: throttle(apiThrottles.logins),
        published: throttle(apiThrottles.published),
        console: throttle(apiThrottles.console),
      }),
    default: apiThrottles,
    about: {
      help: 'Requests per second from all apps together to one operation, and the burst, for each kind of operation.',
    },
  },
  waf: {
    schema: flag,
    default: false,
    about: {
      help: 'Puts a web ACL in front of the app API. The device API is an HTTP API, which does not support web ACLs.',
      defaults: { prod: true, home: false },
    },
  },
  loginRate: {
    schema: () => wholeNumber(10, 1_000_000),
    default: 100,
    about: { help: 'How many logins and password resets one address may try in 5 minutes. Requires `waf`.' },
  },
  concurrency: {
    schema: concurrencySchema,
    default: NOTHING_RESERVED,
    about: { help: 'Reserved concurrency for the functions that falls depend on. 0 reserves none.' },
  },
  concurrencyCaps: {
    schema: concurrencyCapsSchema,
    default: NOTHING_CAPPED,
    about: {
      help:
        'Concurrency caps for feeds, the console and exports. Lambda reserves as much for them. `npm run deploy` ' +
        'derives unset caps from the account limit. 0 does not set a cap.',
      byDefault: 'a tenth, a twentieth and a fiftieth of the account limit, if that leaves enough for `concurrency`',
      example: '{"feed":200}',
    },
  },
  gradualDeployments: {
    schema: flag,
    default: false,
    about: {
      help:
        'For functions that falls pass through, sends a tenth of the invocations to the new version for 5 minutes, ' +
        'and rolls back if an alarm fires in the meantime.',
      defaults: { prod: true },
    },
  },
  accountConcurrency: {
    schema: () => wholeNumber(10, 1_000_000),
    default: 1_000,
    about: { help: 'Concurrent invocations the AWS account allows. An alarm fires at 80%.' },
  },
  oidcSecretName: {
    schema: secretName,
    default: '',
    about: {
      help:
        'Name or ARN of the AWS Secrets Manager secret with the client secret for `oidcIssuer`. A public client has ' +
        'none.',
      example: 'sensor-cloud/oidc',
    },
  },
  telegramSecretName: {
    schema: secretName,
    default: '',
    about: {
      help:
        'Name or ARN of the AWS Secrets Manager secret with the token for the Telegram bot that messages users. ' +
        'Without it, Telegram messages are not sent.',
      example: 'sensor-cloud/telegram',
    },
  },
  trustedProxy: {
    schema: trustedProxySchema,
    default: NO_PROXY,
    about: {
      isSecret: true,
      help: "The one proxy in front of the API that is trusted to pass the caller's address in a header.",
      byDefault: 'none',
    },
  },
  keyArn: {
    schema: () => text(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key'),
    default: '',
    about: {
      help: "KMS key in the stage's region that encrypts webhook secrets: a replica of another stage's key (runbook.md).",
      byDefault: "the stack's key",
      example: 'arn:aws:kms:eu-central-1:123456789012:key/mrk-0a1b2c',
    },
  },
  multiRegionKey: {
    schema: flag,
    default: true,
    about: {
      help:
        'Creates a KMS key that can be replicated to another region. This cannot be changed after the first ' +
        'deployment.',
    },
  },
  keepData: {
    schema: flag,
    default: true,
    about: {
      help: 'Retains all resources that hold data when the stack is deleted. Use `false` only for stages without real data.',
      defaults: { dev: false },
    },
  },
  tableName: {
    schema: () => text(/^[\w.-]{3,255}$/, '3 to 255 letters, digits and any of _ . -'),
    default: '',
    about: { help: 'Recovered table to use (runbook.md).', byDefault: "the stack's table" },
  },
  deviceMemory: {
    schema: () => wholeNumber(256, 3_008),
    default: 512,
    about: {
      unit: 'MB',
      help: 'Memory for the functions that accept device messages. The CPU share grows with the memory.',
    },
  },
  deviceAccessLog: {
    schema: flag,
    default: false,
    about: { help: 'Logs each device request with address, route and status, for USD 0.18 per million requests.' },
  },
  logRetentionDays: {
    schema: () => oneOfNumbers<RetentionDays>(retentions, `one of ${retentions.join(', ')} (which means forever)`),
    default: RetentionDays.ONE_MONTH,
    about: { unit: 'days', help: 'How long logs are kept.' },
  },
  alarmEmail: {
    schema: () => text(/^[^\s@]+@[^\s@]+$/, 'an email address'),
    default: '',
    about: {
      help:
        'Address that alarms are sent to, and with `canary` and `mailSender` a daily test email. Without it, alarms ' +
        'are only visible in CloudWatch.',
      example: 'cloud@example.org',
    },
  },
  monthlyBudget: {
    schema: () => wholeNumber(0, 10_000_000),
    // Three times the monthly cost printed by `npm run deploy` for 30 sensors and 2 consoles.
    default: 96,
    about: {
      unit: 'USD',
      help:
        'Monthly AWS account budget. AWS emails `alarmEmail` when the cost exceeds this, or is expected to. By ' +
        'default three times the estimate for 30 sensors and 2 consoles. 0 does not create a budget.',
      defaults: { dev: 51, home: 54 },
    },
  },
  silenceMinutes: {
    schema: () => wholeNumber(0, 1_440),
    default: 0,
    about: {
      unit: 'minutes',
      help: 'Time without a message from any device after which an alarm fires. 0 disables this alarm.',
      defaults: { prod: 15 },
    },
  },
});

type Environment = typeof environment;

/** Settings read by functions and set by a stage. */
type Shared = {
  [N in keyof Environment as Environment[N] extends { about: { stage: infer S extends string } }
    ? S
    : never]: Environment[N];
};
const shared = Object.fromEntries(
  Object.values<Setting>(environment).flatMap((setting) =>
    setting.about?.stage === undefined ? [] : [[setting.about.stage, setting]],
  ),
) as Shared;

/** All stage settings, by CDK context name. */
export const settings = { ...own, ...shared };

/** The settings for one stage. */
export type Stage = Omit<SettingValues<typeof settings>, 'stage' | 'preset'> & { readonly name: string };
