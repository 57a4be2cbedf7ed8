import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import {
  deliveryDeadline,
  goneAfter,
  headerName,
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
import { oidcClientId, oidcIssuer, oidcName, oidcRules, oidcScopes, oidcSecret } from '#shared/settings/oidc.ts';
import { mailAddress, telegramToken } from '#shared/settings/senders.ts';
import { flag, list, type Setting, text, type ValueOf, whole } from '#shared/settings/setting.ts';

/** An environment variable of `npm start`: what it does, what happens without it, and which values it takes. */
export type Variable<T = unknown> = Setting<T> & { about: string; without: string };

const declare = <T>(about: string, without: string, setting: Setting<T>): Variable<T> => ({
  about,
  without,
  ...setting,
});
const secret = (setting: Setting<string>): Setting<string> => ({ ...setting, isSecret: true });

const port = whole(0, 0, 65_535);
const path = text(/^[^\0]{1,1024}$/, '', 'a path of 1 to 1024 characters');
const header = text(headerName, '', 'the name of a header, of at most 128 characters', 'X-Real-IP');

/** An address without a path. */
const origin: Setting<string> = {
  otherwise: '',
  wants: 'an address of http or https without a path (no /api/v1)',
  example: 'https://cloud.example.org',
  read: (given) => {
    const url = /^https?:\/\/[^/?#@\\\s]+\/?$/.test(String(given)) ? URL.parse(String(given)) : null;
    return url?.origin ?? null;
  },
};

/** A first password: the length that the API wants too, and not one of those that are tried first. */
const password: Setting<string> = {
  otherwise: '',
  wants: '10 to 1024 bytes, and none of the most common passwords',
  read: (given) => {
    const bytes = Buffer.byteLength(String(given));
    return bytes >= 10 && bytes <= 1_024 && !isCommonPassword(String(given)) ? String(given) : null;
  },
};

/** Every variable of `npm start`, in the order of the README. */
export const variables = {
  HOST: declare(
    'address or name of this machine to listen on, for HTTP and MQTT; 0.0.0.0 for all of its addresses',
    '127.0.0.1: this machine alone',
    text(/^[\w.:-]{1,253}$/, '127.0.0.1', 'an address or a name of this machine', '0.0.0.0'),
  ),
  PORT: declare('port to listen on; 0 takes any free one', '3000', { ...port, otherwise: 3_000, example: '3000' }),
  TLS_CERT: declare(
    'file with the certificate and its chain (PEM), for HTTPS and MQTT; read again when it changes',
    'no TLS',
    {
      ...path,
      example: '/etc/ssl/cloud.pem',
    },
  ),
  TLS_KEY: declare('file with the key of that certificate (PEM)', 'no TLS', { ...path, example: '/etc/ssl/cloud.key' }),
  DATA_DIR: declare(
    'folder where the table, the queues and the key of the secrets live between starts; `:memory:` forgets everything',
    '`.local`',
    { ...path, otherwise: '.local', wants: 'the path of a folder, or :memory:', example: '.local' },
  ),
  ADMIN_USERNAME: declare(
    'the system admin that the first start makes',
    '`admin`',
    text(/^[^\p{Cc}\p{Cs}]{1,64}$/u, 'admin', '1 to 64 characters, none of them a control character'),
  ),
  ADMIN_PASSWORD: declare('the first password of that admin', 'drawn, and printed once', secret(password)),
  PROVISIONING_KEY: declare(
    'the key with which devices register',
    'drawn at the first start, and printed once',
    secret(text(/^\S(.{0,1022}\S)?$/, '', '1 to 1024 characters without a space at an end')),
  ),
  RATE_LIMIT_PER_SECOND: declare(
    'calls per second of an account or address; 0 switches every limit of calls off, and that of messages unless `QUOTAS` names it',
    '30',
    rateLimit,
  ),
  TRUSTED_PROXY_HEADER: declare(
    'a trusted proxy in front: the last entry of this header is the address of the caller, when the next two fit',
    'the TCP peer is the caller',
    header,
  ),
  TRUSTED_PROXY_SECRET_HEADER: declare('the header by which that proxy proves itself', 'no proxy', {
    ...header,
    example: 'X-Proxy-Secret',
  }),
  TRUSTED_PROXY_SECRET: declare(
    'what that header must carry; or `sha256:` and the SHA-256 of it in hex',
    'no proxy',
    secretOrHash,
  ),
  QUOTAS: declare(
    'what a customer can have at most, where it differs from the default: names of `limits.quotas` in `GET /server/config`',
    '50 webhooks, 100 bots, 500 rules, 500 users, 10,000 sensors and so on',
    quotas,
  ),
  RETRY_SCHEDULE: declare(
    'seconds before each attempt of a delivery, the first included, separated by commas',
    '14 attempts in 3.2 days',
    retrySchedule,
  ),
  SENSOR_INACTIVE_AFTER_SECONDS: declare(
    'a sensor that is silent for longer is inactive',
    String(sensorInactiveAfter.otherwise),
    sensorInactiveAfter,
  ),
  DELIVERY_DEADLINE_SECONDS: declare(
    'time that one attempt may take in all',
    String(deliveryDeadline.otherwise),
    deliveryDeadline,
  ),
  GONE_AFTER_SECONDS: declare(
    'so long a receiver has to answer 410, and nothing else, until its webhook is switched off; 0: once',
    String(goneAfter.otherwise),
    goneAfter,
  ),
  ALLOW_PRIVATE_TARGETS: declare(
    'may webhooks use http, any port, and loopback or private addresses?',
    'true (in AWS: false, and never loopback)',
    flag(true),
  ),
  ALLOWED_TARGET_RANGES: declare('private ranges that webhooks may call in any case', 'none', list(range, 50)),
  CREDENTIALS_SINCE: declare(
    'sessions, access tokens and codes for a new password that were made before this time are void',
    'none is void by its age',
    time,
  ),
  PUBLIC_URL: declare(
    'address of the service for callers, without /api/v1, such as that of a proxy in front',
    'the address that it listens on',
    origin,
  ),
  DEVICE_URL: declare('the same for devices', '`PUBLIC_URL`', origin),
  OWN_URLS: declare(
    'further addresses of the service: no webhook may call them, nor the port of the service itself',
    'none',
    list(origin, 50),
  ),
  CORS_ORIGINS: declare('origins whose pages may call the API with a token, separated by commas', 'none', pageOrigins),
  SERVICE_NAME: declare('the name of the service in payloads and headers', '`Sensor Cloud`', serviceName),
  MAIL_SENDER: declare(
    'address that the mails come from which this host writes to `outbox` in its data folder',
    '`outbox`',
    mailAddress,
  ),
  TELEGRAM_TOKEN: declare(
    'token of the bot of Telegram that sends messages to chats of users',
    'they are files in `outbox`, as SMS always are',
    telegramToken,
  ),
  OIDC_ISSUER: declare(
    'issuer of OpenID Connect at which people can log in too; the next three are set with it',
    'people log in here alone',
    oidcIssuer,
  ),
  OIDC_CLIENT_ID: declare('the id of this service at that issuer', 'no issuer', oidcClientId),
  OIDC_NAME: declare('how people call that issuer: the button says "Log in with ..."', 'no issuer', {
    ...oidcName,
    example: 'Home account',
  }),
  OIDC_RULES: declare(
    'what the claims of that issuer let people do, at each login: see [On premises](README.md)',
    'no issuer',
    oidcRules,
  ),
  OIDC_CLIENT_SECRET: declare('the secret of this service at that issuer', 'it has none', oidcSecret),
  OIDC_SCOPES: declare('the scopes that are asked for there', '`openid profile email`', oidcScopes),
  CANARY: declare(
    'lets a test sensor fall every 5 minutes and waits until its webhook is called: see `canarySeconds` in `GET /health`',
    'false',
    flag(false),
  ),
  HEARTBEAT_URL: declare(
    'address that is called after each fall of the canary that came back',
    'none',
    secret(
      text(/^https?:\/\/[!-~]{1,500}$/, '', 'an address of at most 500 characters', 'https://hc.example.com/ping'),
    ),
  ),
  MAKER_A_FEEDBACK_URL: declare(
    'address at maker A that gets feedback of users, signed and retried as webhooks are',
    'none is forwarded',
    secret(
      text(
        /^https?:\/\/[!-"$-?A-[\]-~]{1,500}$/,
        '',
        'an address of at most 500 characters without # @ and \\',
        'https://maker.example.com/feedback',
      ),
    ),
  ),
  DEMO: declare('`false` leaves the demo home out', 'true', flag(true)),
  MQTT_PORT: declare('port of the broker for devices; 0 takes any free one', 'no MQTT', {
    ...port,
    example: '1883',
  } as Setting<number>),
  AWS_ENDPOINT_URL_DYNAMODB: declare(
    'a DynamoDB instead of the table in the process; `DATA_DIR` must then be a folder, for the key of the secrets',
    'in the process',
    { ...origin, example: 'http://127.0.0.1:8000' },
  ),
  AWS_ENDPOINT_URL_SQS: declare('an SQS instead of the queues in the process', 'in the process', {
    ...origin,
    example: 'http://127.0.0.1:9324',
  }),
  AWS_ENDPOINT_URL_KMS: declare(
    'a KMS with the key `alias/sensor-cloud`, which seals the secrets of webhooks instead of the key in `DATA_DIR`',
    'that key',
    { ...origin, example: 'http://127.0.0.1:8080' },
  ),
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;
export const variableNames = Object.keys(variables) as VariableName[];
/** The values of the variables that are set. */
export type Given = { [N in VariableName]?: ValueOf<(typeof variables)[N]> };
