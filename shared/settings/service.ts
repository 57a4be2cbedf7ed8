import { DEADLINE_SECONDS, GONE_AFTER_SECONDS } from '../domain/delivery/delivery.ts';
import { forHosts } from './for-hosts.ts';
import {
  addressRange,
  flag,
  headerName,
  list,
  origin,
  pageOrigin,
  quotas,
  secretOrHash,
  shortName,
  text,
  time,
  wholeNumber,
} from './kinds.ts';
import { oidcSettings } from './oidc.ts';
import { declare } from './setting.ts';

const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+$/;
const header = () => headerName().toLowerCase();
const httpsOrigin = () => text(/^https:\/\/[a-z0-9.-]+[a-z0-9]$/, 'an https address without port and path');

const others = declare({
  RATE_LIMIT_PER_SECOND: {
    schema: () => wholeNumber(0, 1_000_000),
    default: 30,
    about: forHosts({
      stage: 'rateLimit',
      capabilities: ['guard', 'limit:devices'],
      unit: 'requests per second',
      help:
        'Rate limit per account or address; session reads are limited per instance. 0 disables the limit, and also ' +
        'the message limit unless `QUOTAS` sets `messagesPerSecond`.',
    }),
  },
  TRUSTED_PROXY_HEADER: {
    schema: header,
    default: '',
    about: forHosts({
      capabilities: ['guard', 'host:health'],
      help:
        "Header whose last entry is the caller's address, set by a trusted proxy in front of the service. The header " +
        "is used only with the proxy's secret, so set the next two as well.",
      byDefault: 'the TCP peer is the caller',
      example: 'X-Real-IP',
    }),
  },
  TRUSTED_PROXY_SECRET_HEADER: {
    schema: header,
    default: '',
    about: forHosts({
      capabilities: ['guard'],
      help: "Header that carries the proxy's secret.",
      byDefault: 'no proxy',
      example: 'X-Proxy-Secret',
    }),
  },
  TRUSTED_PROXY_SECRET: {
    schema: secretOrHash,
    default: '',
    about: forHosts({
      isSecret: true,
      capabilities: ['guard'],
      help: "The proxy's secret, or `sha256:` followed by its SHA-256 in hex.",
      byDefault: 'no proxy',
    }),
  },
  METRICS_TOKEN: {
    schema: secretOrHash,
    default: '',
    about: forHosts({
      isSecret: true,
      capabilities: ['host:health'],
      help:
        'Bearer token for `GET /metrics` and for details in `GET /health`, or `sha256:` followed by its SHA-256 in ' +
        'hex. Without `PUBLIC_URL`, programs on this machine do not need a token.',
      byDefault: 'access for system admins only, and without `PUBLIC_URL` for programs on this machine',
    }),
  },
  QUOTAS: {
    schema: quotas,
    default: {},
    about: forHosts({
      stage: 'quotas',
      capabilities: ['keep:quotas', 'limit:devices'],
      help: 'Quotas per customer, which replace the built-in ones (`limits.quotas` in `GET /server/config`).',
      byDefault: '50 webhooks, 100 bots, 500 rules, 500 users, 10,000 sensors and so on',
      example: '{"webhooks":10}',
    }),
  },
  RETRY_SCHEDULE: {
    schema: () => list(wholeNumber(0, 86_400), 20),
    default: [],
    about: forHosts({
      stage: 'retrySchedule',
      capabilities: ['call:webhooks'],
      unit: 'seconds',
      help: 'Seconds before each delivery attempt, including the first, separated by commas.',
      byDefault: '14 attempts in 3.2 days',
      example: '0,5,60',
    }),
  },
  DELIVERY_DEADLINE_SECONDS: {
    schema: () => wholeNumber(1, DEADLINE_SECONDS),
    default: DEADLINE_SECONDS,
    about: forHosts({
      stage: 'deliveryDeadline',
      capabilities: ['call:webhooks', 'send:person'],
      unit: 'seconds',
      help: 'Time after which a delivery attempt fails.',
    }),
  },
  UNNOTIFIED_AFTER_SECONDS: {
    schema: () => wholeNumber(30, 3_600),
    default: 120,
    about: forHosts({
      stage: 'unnotifiedAfterSeconds',
      capabilities: ['watch:alarms'],
      unit: 'seconds',
      help:
        'Time after which an alarm that has reached nobody, and that nobody has acknowledged, is itself reported: by ' +
        'email to rule managers, in `/watch`, and as the metric `AlarmsUnnotified`.',
    }),
  },
  GONE_AFTER_SECONDS: {
    schema: () => wholeNumber(0, 86_400),
    default: GONE_AFTER_SECONDS,
    about: forHosts({
      stage: 'goneAfterSeconds',
      capabilities: ['call:webhooks'],
      unit: 'seconds',
      help:
        'How long a receiver must respond only with 410 before the webhook is disabled. 0 disables the webhook on ' +
        'the first 410.',
    }),
  },
  ALLOW_PRIVATE_TARGETS: {
    schema: flag,
    default: false,
    about: forHosts({
      stage: 'allowPrivateTargets',
      capabilities: ['call:webhooks', 'send:person'],
      help: 'Lets webhooks use http, any port and private addresses; with `npm start` also loopback, unless `HOST` opens the service to the network.',
      defaults: { local: true },
    }),
  },
  ALLOWED_TARGET_RANGES: {
    schema: () => list(addressRange(), 50),
    default: [],
    about: forHosts({
      stage: 'allowedTargetRanges',
      capabilities: ['call:webhooks', 'send:person', 'know:targets'],
      help: 'Private address ranges that webhooks may call even without `ALLOW_PRIVATE_TARGETS`; with `npm start` also loopback ranges, which new webhooks need if `HOST` is not on loopback.',
      example: '10.1.0.0/16',
    }),
  },
  SENSOR_INACTIVE_AFTER_SECONDS: {
    schema: () => wholeNumber(1, 86_400),
    default: 300,
    about: forHosts({
      stage: 'sensorInactiveAfter',
      capabilities: ['watch:sensors', 'configure:devices'],
      unit: 'seconds',
      help: 'Time without a message after which a sensor is inactive.',
    }),
  },
  MAX_REPORT_DELAY_SECONDS: {
    schema: () => wholeNumber(0, 43_200),
    default: 120,
    about: forHosts({
      stage: 'maxReportDelay',
      capabilities: ['configure:devices'],
      unit: 'seconds',
      help:
        'Longest time devices may hold back unchanged reports to send several in one request; at most half of ' +
        '`sensorInactiveAfter`. 0: each report is sent at once.',
    }),
  },
  CREDENTIALS_SINCE: {
    schema: time,
    default: '',
    about: forHosts({
      stage: 'credentialsSince',
      capabilities: ['guard'],
      help: 'Invalidates all sessions, access tokens and password reset codes created before this time.',
      example: '2026-11-22T10:00:00Z',
    }),
  },
  PUBLIC_URL: {
    default: '',
    about: forHosts({
      stage: 'publicUrl',
      capabilities: [
        'send:mail',
        'send:person',
        'call:webhooks',
        'ask:issuer',
        'run:canary',
        'list:subscriptions',
        'service:about',
      ],
      help: 'Service address without /api/v1, such as the address of a proxy in front.',
      byDefault: { local: 'the address it listens on', stage: 'the address that API Gateway assigns' },
      example: 'https://cloud.example.org',
      hostSchema: origin,
      stageSchema: httpsOrigin,
    }),
  },
  DEVICE_URL: {
    default: '',
    about: forHosts({
      stage: 'deviceUrl',
      capabilities: ['run:canary', 'service:about'],
      help: 'Device API address without /api/v1.',
      byDefault: { local: '`PUBLIC_URL`', stage: 'the address that API Gateway assigns' },
      example: 'https://devices.example.org',
      hostSchema: origin,
      stageSchema: httpsOrigin,
    }),
  },
  OWN_URLS: {
    schema: () => list(text(/^/, 'any text'), 1_000),
    default: [],
    about: forHosts({
      capabilities: ['send:person', 'call:webhooks'],
      help: "Further service addresses, separated by commas. Webhooks may call neither these nor the service's own port.",
      example: 'https://cloud.example.org',
      hostSchema: () => list(origin(), 50),
    }),
  },
  CORS_ORIGINS: {
    schema: () => list(pageOrigin(), 20),
    default: [],
    about: forHosts({
      stage: 'corsOrigins',
      capabilities: ['guard'],
      help: 'Origins whose pages may call the API with a token (CORS), separated by commas.',
      example: 'https://app.example.org',
    }),
  },
  SERVICE_NAME: {
    schema: shortName,
    default: 'Sensor Cloud',
    about: forHosts({
      stage: 'serviceName',
      capabilities: ['run:canary', 'call:webhooks', 'list:subscriptions', 'service:about'],
      help: 'Service name in payloads, headers and notifications.',
    }),
  },
  MAIL_SENDER: {
    default: '',
    about: forHosts({
      stage: 'mailSender',
      capabilities: ['send:mail', 'send:person', 'call:webhooks', 'list:subscriptions', 'service:about'],
      help: 'Address that emails are sent from. A stage without it does not send email.',
      defaults: { local: 'outbox' },
      example: 'cloud@example.org',
      hostSchema: () => text(MAIL_ADDRESS, 'an email address'),
    }),
  },
  PUSH_CONTACT: {
    schema: () => text(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s@]+)$/, 'a mailto: or https: address'),
    default: '',
    about: forHosts({
      stage: 'pushContact',
      capabilities: ['send:person'],
      help: 'Contact address for push service operators, who reject push messages without a public one.',
      byDefault: '`MAIL_SENDER` if its domain is public, or `PUBLIC_URL` if its host is; otherwise push is not offered',
      example: 'mailto:cloud@example.org',
    }),
  },
  TELEGRAM_TOKEN: {
    default: '',
    about: forHosts({
      isSecret: true,
      capabilities: ['send:person'],
      help: 'Token for the Telegram bot that messages users. Without it, Telegram messages are not sent.',
      // https://core.telegram.org/bots/api#authorizing-your-bot
      hostSchema: () =>
        text(/^\d{1,20}:[\w-]{20,100}$/, 'a token from the Telegram BotFather: digits, a colon and further characters'),
    }),
  },
  CANARY: {
    schema: flag,
    default: false,
    about: forHosts({
      stage: 'canary',
      capabilities: ['send:person', 'call:webhooks', 'host:health'],
      help:
        'Simulates a fall at a test sensor every 5 minutes and waits for the webhook call. A missing call raises an ' +
        'alarm in AWS; see also `canarySeconds` in `GET /health`.',
      defaults: { prod: true },
    }),
  },
  OPERATOR_EMAIL: {
    schema: () => text(MAIL_ADDRESS, 'an email address'),
    default: '',
    about: forHosts({
      capabilities: ['run:canary'],
      help: 'Operator address, to which the canary sends a test email once a day.',
      example: 'operator@example.org',
    }),
  },
  HEARTBEAT_URL: {
    default: '',
    about: forHosts({
      isSecret: true,
      stage: 'heartbeatUrl',
      capabilities: ['run:canary'],
      help: "External address to call after each canary fall that reached its webhook (a dead man's switch).",
      example: 'https://hc.example.com/ping',
      hostSchema: () => text(/^https?:\/\/[!-~]{1,500}$/, 'an address of at most 500 characters'),
      stageSchema: () =>
        text(/^https:\/\/[!-~]{1,500}$/, 'https:// and at most 500 printable characters without spaces'),
    }),
  },
  MAKER_A_FEEDBACK_URL: {
    default: '',
    about: forHosts({
      isSecret: true,
      stage: 'makerAFeedbackUrl',
      capabilities: ['forward:feedback'],
      help: 'Address at maker A that receives user feedback, signed and retried like webhooks.',
      example: 'https://maker.example.com/feedback',
      hostSchema: () =>
        text(/^https?:\/\/[!-"$-?A-[\]-~]{1,500}$/, 'an address of at most 500 characters without # @ and \\'),
      stageSchema: () =>
        text(
          /^https:\/\/[!-"$-?A-[\]-~]{1,500}$/,
          'https:// and at most 500 printable characters without spaces, and without # @ \\',
        ),
    }),
  },
});

/**
 * The settings that operators set and functions read. Rows without `stage` apply only with `npm start`, the others on
 * both hosts. In AWS, the stack passes functions a value for each of them.
 */
export const serviceSettings = { ...others, ...oidcSettings };

/** The trusted proxy settings. Set all of them or none. */
export const proxySettings = ['TRUSTED_PROXY_HEADER', 'TRUSTED_PROXY_SECRET_HEADER', 'TRUSTED_PROXY_SECRET'] as const;
