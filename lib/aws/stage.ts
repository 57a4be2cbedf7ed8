import { isIP } from 'node:net';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Quotas, SomeQuotas } from '../../shared/domain/quota.ts';
import { type Concurrency, concurrency, tooSmall } from './concurrency.ts';
import { flag, list, numbers, parsed, type Setting, text, whole } from './setting.ts';
import { NO_PROXY, type ProxyInFront, readTrustedProxy } from './trusted-proxy.ts';

/** What differs between stages. Everything has a default, so that `cdk synth` needs nothing. */
export type Stage = {
  name: string;
  /** Address of the service without /api/v1; empty: API Gateway's own. */
  publicUrl: string;
  /** Certificate (ACM, same region) for the host of `publicUrl`; empty: something in front of the API terminates TLS. */
  certificateArn: string;
  /** Address of the devices' door without /api/v1; empty: API Gateway's own. */
  deviceUrl: string;
  /** Certificate (ACM, same region) for the host of `deviceUrl`; empty: something in front of the door terminates TLS. */
  deviceCertificateArn: string;
  /** Requests per second of all devices together, and how many may come at once. */
  deviceThrottle: Readonly<Record<'rate' | 'burst', number>>;
  /** Invocations at a time that are kept for the functions that falls need; 0: none. */
  concurrency: Concurrency;
  serviceName: string;
  serviceVersion: string;
  /** Address that mails come from; empty: this stage sends none. */
  mailSender: string;
  /** Requests per second of an account or address; 0: no limit. */
  rateLimit: number;
  /** The one hop in front of the API that is believed who called. */
  trustedProxy: ProxyInFront;
  /** What a customer can have at most, where that is not as usual. */
  quotas: SomeQuotas;
  /** Seconds of silence after which a sensor is inactive. */
  sensorInactiveAfter: number;
  allowPrivateTargets: boolean;
  /** CIDRs that webhooks may call although they are private. */
  allowedTargetRanges: readonly string[];
  /** Seconds over one whole attempt to deliver. */
  deliveryDeadline: number;
  /** Seconds before each attempt; empty: the built-in ladder. */
  retrySchedule: readonly number[];
  /** True: nothing that holds data is deleted with the stack. False only makes sense where data is made up. */
  keepData: boolean;
  logRetentionDays: RetentionDays;
  /** Who is told of alarms; empty: nobody, they are only seen. */
  alarmEmail: string;
};

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

/**
 * 60,000 devices that report once a minute make 1,000 requests a second; an account has 10,000 at first, for all of its
 * APIs together.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const deviceThrottle = numbers({ rate: whole(1_000, 1, 100_000), burst: whole(2_000, 1, 100_000) });

const address = text(/^$|^https:\/\/[a-z0-9.-]+[a-z0-9]$/, '', 'an address like https://cloud.example.org');
const certificate = text(
  /^$|^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  '',
  'the ARN of a certificate',
);

const settings: { readonly [K in keyof Stage]: Setting<Stage[K]> } = {
  name: text(/^[a-z][a-z0-9-]{1,15}$/, 'dev', '2 to 16 lower-case letters, digits and hyphens'),
  publicUrl: address,
  certificateArn: certificate,
  deviceUrl: address,
  deviceCertificateArn: certificate,
  deviceThrottle,
  concurrency,
  serviceName: text(/^[^\p{Cc}]{1,64}$/u, 'Sensor Cloud', '1 to 64 characters'),
  serviceVersion: text(/^[\w.+-]{1,32}$/, '0.0.0', 'a version'),
  mailSender: text(/^$|^[^\s@]+@[^\s@]+$/, '', 'an e-mail address'),
  rateLimit: whole(30, 0, 1_000_000),
  trustedProxy,
  quotas,
  sensorInactiveAfter: whole(300, 1, 86_400),
  allowPrivateTargets: flag(false),
  allowedTargetRanges: list(range, 50),
  deliveryDeadline: whole(15, 1, 15),
  retrySchedule: list(whole(0, 0, 86_400), 20),
  keepData: flag(true),
  logRetentionDays,
  alarmEmail: text(/^$|^[^\s@]+@[^\s@]+$/, '', 'an e-mail address'),
};
const names = Object.keys(settings) as (keyof Stage)[];

/** What is wrong with settings of which each is right. */
const contradictions = ({ publicUrl, certificateArn, deviceUrl, deviceCertificateArn, ...stage }: Stage): string[] => {
  const isNamedTwice = publicUrl === deviceUrl && certificateArn !== '' && deviceCertificateArn !== '';
  return [
    ...(certificateArn !== '' && publicUrl === '' ? ['publicUrl: a certificate needs the address'] : []),
    ...(deviceCertificateArn !== '' && deviceUrl === '' ? ['deviceUrl: a certificate needs the address'] : []),
    ...(isNamedTwice && deviceUrl !== ''
      ? ['deviceUrl: API Gateway gives a name to one API, and publicUrl has it']
      : []),
    ...tooSmall(stage.concurrency),
  ];
};

/** The context key of a setting: its own name, but `stage` for the name. */
const keyOf = (name: keyof Stage): string => (name === 'name' ? 'stage' : name);

/**
 * The settings of a stage from the CDK's context (`cdk synth -c stage=prod -c publicUrl=https://...`). Stages whose
 * name starts with `dev` or `test` lose their data with the stack unless told otherwise; all others keep it. All that
 * is wrong is named at once.
 */
export const stageFrom = (context: (key: string) => unknown): Stage => {
  const wrong: string[] = [];
  const values = names.map((name) => {
    const { otherwise, wants, read } = settings[name];
    const given = context(keyOf(name));
    if (given === undefined) return [name, otherwise];
    const value = read(given);
    if (value === null) wrong.push(`${keyOf(name)}: ${wants}`);
    return [name, value ?? otherwise];
  });
  const stage: Stage = Object.fromEntries(values);
  wrong.push(...contradictions(stage));
  if (wrong.length > 0) throw new Error(`wrong settings of the stage:\n  ${wrong.join('\n  ')}`);
  const isThrowaway = /^(dev|test)/.test(stage.name) && context('keepData') === undefined;
  return isThrowaway ? { ...stage, keepData: false } : stage;
};
