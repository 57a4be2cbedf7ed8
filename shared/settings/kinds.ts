import { isIP } from 'node:net';
import { DEADLINE_SECONDS, GONE_AFTER_SECONDS } from '../domain/delivery/delivery.ts';
import { mostOfQuotas, readQuotas, type SomeQuotas, whyNoQuotas } from '../domain/identity/quota.ts';
import { readTime } from '../domain/time/time.ts';
import { list, type Setting, text, whole } from './setting.ts';

// Kinds of settings that both hosts take: the stack in AWS by the CDK's context, the local host by its environment.

export const range: Setting<string> = {
  otherwise: '',
  wants: 'a range like 10.1.0.0/16',
  example: '10.1.0.0/16',
  read: (given) => {
    const [address = '', bits = '', ...more] = String(given).split('/');
    const isRange = /^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 6 ? 128 : 32) && more.length === 0;
    return isIP(address) !== 0 && isRange ? String(given) : null;
  },
};

/** An origin exactly as browsers name it: in lower case, without a path, and without the port that its scheme has anyway. */
const pageOrigin: Setting<string> = {
  otherwise: '',
  wants: 'an origin as browsers name it (scheme, host, and a port that is not the usual one; no path, no *)',
  example: 'https://app.example.org',
  read: (given) => {
    const isWhole = /^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d+)?$/.test(String(given));
    return isWhole && URL.parse(String(given))?.origin === given ? String(given) : null;
  },
};

export const pageOrigins = list(pageOrigin, 20);

export const quotas: Setting<SomeQuotas> = {
  otherwise: {},
  wants: `a JSON object with whole numbers from 0 for some of: ${mostOfQuotas}`,
  example: '{"webhooks":10}',
  read: readQuotas,
  why: whyNoQuotas,
};

export const retrySchedule = list({ ...whole(0, 0, 86_400), example: '0,5,60' }, 20);

export const rateLimit = whole(30, 0, 1_000_000);
export const sensorInactiveAfter = whole(300, 1, 86_400);
export const deliveryDeadline = whole(DEADLINE_SECONDS, 1, DEADLINE_SECONDS);
export const goneAfter = whole(GONE_AFTER_SECONDS, 0, 86_400);
export const metricsSeconds = whole(60, 0, 300);

export const serviceName = text(
  /^[^\p{Cc}]{1,64}$/u,
  'Sensor Cloud',
  '1 to 64 characters, none of them a control character',
);

/** A time, or empty for none. */
export const time: Setting<string> = {
  otherwise: '',
  wants: 'a time of ISO 8601 with its time zone',
  example: '2026-11-22T10:00:00Z',
  read: (given) => (given === '' || readTime(String(given)) !== null ? String(given) : null),
};

/** The name of a header. */
export const headerName = /^[\w!#$%&'*+.^`|~-]{1,128}$/;
/** A secret as it is, or `sha256:` and its SHA-256 in hex. */
export const secretOrHash: Setting<string> = {
  ...text(
    /^(sha256:[0-9a-f]{64}|(?!sha256:)[!-~]{16,1024})$/,
    '',
    '16 to 1024 printable characters without spaces, or sha256: and the hash in hex',
  ),
  isSecret: true,
};
