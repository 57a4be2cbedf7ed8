import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { optionsFrom } from '#lib/local/options.ts';
import { variableNames, variables } from '#lib/local/variables.ts';
import type { Setting } from '#shared/settings/setting.ts';
import { invalidValues } from '#test/fixtures/setting-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'sensor-cloud-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inMemory = { DATA_DIR: ':memory:' };
const read = (env: Record<string, string>) => optionsFrom({ ...inMemory, ...env });
/** Returns the error messages, one per invalid setting. */
const refusalsOf = (env: Record<string, string>): string[] => {
  try {
    read(env);
  } catch (error) {
    return (error as Error).message.split('\n  ').slice(1);
  }
  return [];
};

test('an empty variable counts as unset', () => {
  const empty = Object.fromEntries(variableNames.map((name) => [name, '']));
  expect(optionsFrom({ ...empty, ...inMemory })).toEqual(optionsFrom(inMemory));
  expect(optionsFrom(inMemory)).toMatchObject({ host: '127.0.0.1', port: 3_000, withDemo: true });
  expect(optionsFrom(inMemory).settings.RATE_LIMIT_PER_SECOND).toBe(30);
});

test('MQTT is enabled only if an MQTT port is set', () => {
  expect([{}, { MQTT_PORT: '' }, { MQTT_PORT: '0' }].map((env) => read(env as never).mqttPort)).toEqual([
    undefined,
    undefined,
    0,
  ]);
});

const proxy = {
  TRUSTED_PROXY_HEADER: 'X-Viewer',
  TRUSTED_PROXY_SECRET_HEADER: 'X-Secret',
  TRUSTED_PROXY_SECRET: 'a-secret-of-16-or-more',
};
test('the trusted proxy settings must be set together', () => {
  expect(read(proxy).settings).toMatchObject({
    ...proxy,
    TRUSTED_PROXY_HEADER: 'x-viewer',
    TRUSTED_PROXY_SECRET_HEADER: 'x-secret',
  });
  const { TRUSTED_PROXY_SECRET: _, ...part } = proxy;
  expect(refusalsOf(part)).toEqual([expect.stringMatching(/^TRUSTED_PROXY_SECRET is missing: /)]);
  // An invalid setting is not missing.
  expect(refusalsOf({ ...part, TRUSTED_PROXY_SECRET: 'short' })).toEqual([
    expect.stringMatching(/^TRUSTED_PROXY_SECRET must be /),
  ]);
});

describe('an invalid setting', () => {
  test.each(variableNames)('%s is rejected with the allowed values and an example', (name) => {
    const { schema, about }: Setting = variables[name];
    const values = invalidValues[name];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      const [sentence, ...others] = refusalsOf({ [name]: value });
      expect([name, value, others]).toEqual([name, value, []]);
      expect(sentence).toContain(`${name} must be ${schema?.().description}`);
      if (about?.example !== undefined) expect(sentence).toContain(`such as ${about.example}`);
      const start = JSON.stringify(value).slice(0, 20);
      expect([value, sentence?.includes(start)]).toEqual([value, !about?.isSecret]);
    }
  });

  test('the example for every setting is valid', () => {
    for (const name of variableNames) {
      const { schema, about }: Setting = variables[name];
      if (about?.example !== undefined)
        expect([name, schema?.().safeParse(about.example).error]).toEqual([name, undefined]);
    }
  });
});

test('all invalid settings are reported at once', () => {
  const all = { PORT: 'x', QUOTAS: '{"bots":-1,"cats":1}', DEMO: 'maybe', ADMIN_PASSWORD: 'hunter2' };
  expect(refusalsOf(all)).toEqual([
    'PORT must be a whole number from 0 to 65535, such as 3000; it is "x"',
    'ADMIN_PASSWORD must be a password of 10 to 1024 bytes that is not a common one',
    'DEMO must be true or false; it is "maybe"',
    expect.stringMatching(
      /^QUOTAS must be .*: bots: must be a whole number from 0 to 10000, not -1; Unrecognized key: "cats"$/,
    ),
  ]);
});

test('CORS_ORIGINS accepts origins as browsers send them, and reports each invalid one', () => {
  const origins = 'https://app.example.org,http://localhost:5173,http://[::1]:8080';
  expect(read({ CORS_ORIGINS: origins }).settings.CORS_ORIGINS).toEqual(origins.split(','));
  expect(refusalsOf({ CORS_ORIGINS: '*, https://a.example,https://b.example/' })).toEqual([
    expect.stringMatching(/: \[0\] is "\*"; \[2\] is "https:\/\/b\.example\/"$/),
  ]);
});

describe('settings that contradict each other', () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, 'no certificate');
  const mail = { SMTP_URL: 'smtp://a.example', MAIL_SENDER: 'cloud@example.org' };
  test.each<[string, Record<string, string>, RegExp]>([
    ['one port for HTTP and MQTT', { PORT: '1883', MQTT_PORT: '1883' }, /^MQTT_PORT must differ from PORT$/],
    ['a certificate without a key', { TLS_CERT: file }, /^TLS_KEY is missing/],
    ['a missing certificate file', { TLS_CERT: '/nowhere', TLS_KEY: file }, /^TLS_CERT: the file \/nowhere cannot/],
    ['a data folder that is a file', { DATA_DIR: file }, /^DATA_DIR must be a folder; .*a-file is a file$/],
    [
      'a data folder inside a file',
      { DATA_DIR: join(file, 'x') },
      /^DATA_DIR: the folder .* cannot be written \(ENOTDIR/,
    ],
    ['a data folder inside /proc', { DATA_DIR: '/proc/here/x' }, /^DATA_DIR: the folder .* cannot be written \(ENOENT/],
    [
      'a short password on the network',
      { HOST: '0.0.0.0', ADMIN_PASSWORD: 'eleven-byte' },
      /^ADMIN_PASSWORD must have at least 12 bytes/,
    ],
    [
      'an external table without a data folder for the secrets key',
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' },
      /^DATA_DIR must be a folder/,
    ],
    ['a mail user without a mail server', { SMTP_USER: 'cloud' }, /^SMTP_URL is missing: SMTP_USER is of no use/],
    ['a mail server without a sender', { SMTP_URL: 'smtp://a.example' }, /^MAIL_SENDER is missing/],
    ['a mail user without a password', { ...mail, SMTP_USER: 'cloud' }, /^SMTP_PASSWORD_FILE is missing/],
    ['a mail password without a user', { ...mail, SMTP_PASSWORD_FILE: file }, /^SMTP_USER is missing/],
    [
      'a mail user in both the URL and a setting',
      { ...mail, SMTP_URL: 'smtp://a:b@a.example', SMTP_USER: 'c' },
      /^SMTP_USER must not be set/,
    ],
    [
      'a mail password in both the URL and a setting',
      { ...mail, SMTP_URL: 'smtp://a:b@a.example', SMTP_PASSWORD_FILE: file },
      /^SMTP_PASSWORD_FILE must not be set/,
    ],
    ['a missing mail CA file', { ...mail, SMTP_CA: '/nowhere' }, /^SMTP_CA: the file \/nowhere cannot/],
    [
      'a missing file with extra CA certificates',
      { EXTRA_CA_CERTS: '/nowhere' },
      /^EXTRA_CA_CERTS: the file \/nowhere cannot/,
    ],
    [
      'an extra CA file without certificates',
      { EXTRA_CA_CERTS: file },
      /^EXTRA_CA_CERTS: the file .* must contain certificates/,
    ],
    [
      'a mail CA file without encryption',
      { ...mail, SMTP_URL: 'smtp://a.example?tls=none', SMTP_CA: file },
      /^SMTP_CA must not be set/,
    ],
    [
      'a Home Assistant customer without a broker',
      { HOME_ASSISTANT_CUSTOMER_ID: '1' },
      /^HOME_ASSISTANT_MQTT_URL is missing: HOME_ASSISTANT_CUSTOMER_ID has no use/,
    ],
    [
      'a broker user without a password',
      { HOME_ASSISTANT_MQTT_URL: 'mqtts://a@b.example' },
      /^HOME_ASSISTANT_MQTT_PASSWORD_FILE is missing: the user of the broker has no password$/,
    ],
    [
      'a broker CA file without encryption',
      { HOME_ASSISTANT_MQTT_URL: 'mqtt://a.example?tls=none', HOME_ASSISTANT_MQTT_CA: file },
      /^HOME_ASSISTANT_MQTT_CA must not be set/,
    ],
    [
      'a missing broker CA file',
      { HOME_ASSISTANT_MQTT_URL: 'mqtts://a.example', HOME_ASSISTANT_MQTT_CA: '/nowhere' },
      /^HOME_ASSISTANT_MQTT_CA: the file \/nowhere cannot/,
    ],
  ])('the host rejects %s', (_, env, message) => {
    expect(refusalsOf(env)).toEqual([expect.stringMatching(message)]);
  });
});

test('an external table needs no data folder if an external key encrypts secrets', () => {
  const engines = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:8080' };
  const options = optionsFrom({ ...engines, DATA_DIR: ':memory:' });
  expect(options).toMatchObject({ dataDir: ':memory:', keyEndpoint: 'http://127.0.0.1:8080' });
});

test('a missing data folder is created', () => {
  expect(optionsFrom({ DATA_DIR: join(folder, 'new', 'one') })).toMatchObject({ dataDir: join(folder, 'new', 'one') });
});

test('a host on the network without TLS or a proxy warns about what others can read', () => {
  const warnings = (env: Record<string, string>) => read({ HOST: '0.0.0.0', ...env }).warnings;
  expect(warnings({})).toEqual([
    expect.stringMatching(/others on the network can read and change passwords, tokens and alarms/),
  ]);
  expect([warnings({ HOST: '127.0.0.1' }), warnings({ HOST: '::1' }), warnings(proxy)]).toEqual([[], [], []]);
});

test('the host warns about an unencrypted mail server beyond loopback', () => {
  const warnings = (url: string) => read({ SMTP_URL: url, MAIL_SENDER: 'cloud@example.org' }).warnings;
  expect(warnings('smtp://a.example?tls=none')).toEqual([
    expect.stringMatching(/^mails to a.example are not encrypted/),
  ]);
  expect([warnings('smtp://a.example'), warnings('smtp://127.0.0.1:25?tls=none')]).toEqual([[], []]);
});

test('the host warns about an unencrypted broker beyond loopback', () => {
  const warnings = (url: string) => read({ HOME_ASSISTANT_MQTT_URL: url }).warnings;
  expect(warnings('mqtt://a.example?tls=none')).toEqual([
    expect.stringMatching(/^states of sensors are sent to a.example without encryption/),
  ]);
  expect([warnings('mqtts://a.example'), warnings('mqtt://127.0.0.1')]).toEqual([[], []]);
});

test('the broker login comes from the URL or from settings', () => {
  const shown = (env: Record<string, string>) => read(env).homeAssistant;
  const passwordFile = join(folder, 'a-file');
  expect(shown({ HOME_ASSISTANT_MQTT_URL: 'mqtts://a:b@a.example' })).toMatchObject({
    user: 'a',
    broker: { password: 'b' },
    customerId: null,
    canAcknowledge: false,
  });
  const separate = { HOME_ASSISTANT_MQTT_USER: 'c', HOME_ASSISTANT_MQTT_PASSWORD_FILE: passwordFile };
  const more = { HOME_ASSISTANT_CUSTOMER_ID: '7', HOME_ASSISTANT_ACKNOWLEDGE: 'true' };
  expect(shown({ HOME_ASSISTANT_MQTT_URL: 'mqtts://a.example', ...separate, ...more })).toMatchObject({
    user: 'c',
    passwordFile,
    customerId: 7,
    canAcknowledge: true,
  });
  expect(shown({})).toBeUndefined();
});

test('the mail server login comes from the URL or from settings', () => {
  const smtp = (env: Record<string, string>) => read({ MAIL_SENDER: 'cloud@example.org', ...env }).smtp;
  const passwordFile = join(folder, 'a-file');
  expect(smtp({ SMTP_URL: 'smtp://a:b@a.example' })).toMatchObject({ user: 'a', server: { password: 'b' } });
  expect(smtp({ SMTP_URL: 'smtp://a@a.example', SMTP_PASSWORD_FILE: passwordFile })).toMatchObject({
    user: 'a',
    passwordFile,
  });
  expect(
    smtp({ SMTP_URL: 'smtps://a.example', SMTP_USER: 'c', SMTP_PASSWORD_FILE: passwordFile, SMTP_CA: passwordFile }),
  ).toMatchObject({ user: 'c', passwordFile, caFile: passwordFile });
  expect(smtp({})).toBeUndefined();
});

test.each([
  ['DATADIR', 'DATA_DIR'],
  ['port', 'PORT'],
  ['PROT', 'PORT'],
  ['PRT', 'PORT'],
  ['HSOT', 'HOST'],
  ['RATE_LIMIT_PER_SECONDS', 'RATE_LIMIT_PER_SECOND'],
  ['ADMIN_PASSWROD', 'ADMIN_PASSWORD'],
  ['QUOTA', 'QUOTAS'],
])('the misspelled variable %s is rejected with the suggestion %s', (unknown, meant) => {
  expect(() => read({ [unknown]: '1' })).toThrow(
    `invalid settings:\n  unknown variable ${unknown}: did you mean ${meant}?`,
  );
});

test.each([
  ['DATA_DIRECTORY', 'DATA_DIR'],
  ['RATE_LIMIT', 'RATE_LIMIT_PER_SECOND'],
  ['ADMIN_PASS', 'ADMIN_PASSWORD'],
  ['PATH', undefined],
  ['HOSTNAME', undefined],
  ['HOME', undefined],
  ['SSH_AUTH_SOCK', undefined],
])('the unknown variable %s is reported with the suggestion %s', (unknown, meant) => {
  const warnings = meant === undefined ? [] : [`unknown variable ${unknown}: did you mean ${meant}?`];
  expect(read({ [unknown]: '1' }).warnings).toEqual(warnings);
});

test('RATE_LIMIT_PER_SECOND=0 also removes the message limit, unless QUOTAS sets one', () => {
  const quotaOf = (env: Record<string, string>) => read(env).settings.QUOTAS.messagesPerSecond;
  const named = { QUOTAS: '{"messagesPerSecond":7}' };
  const off = { RATE_LIMIT_PER_SECOND: '0' };
  expect([quotaOf({}), quotaOf(named), quotaOf(off), quotaOf({ ...off, ...named })]).toEqual([100, 7, 0, 7]);
  expect(quotaOf({ ...off, QUOTAS: '{"bots":7}' })).toBe(0);
});
