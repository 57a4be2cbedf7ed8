import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { optionsFrom } from '#lib/local/options.ts';
import { similarTo } from '#lib/local/similar.ts';
import { type Variable, variableNames, variables } from '#lib/local/variables.ts';

const folder = mkdtempSync(join(tmpdir(), 'sensor-cloud-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inMemory = { DATA_DIR: ':memory:' };
const read = (env: Record<string, string>) => optionsFrom({ ...inMemory, ...env });
/** The sentences of a refusal, one for each wrong setting. */
const refused = (env: Record<string, string>): string[] => {
  try {
    read(env);
  } catch (error) {
    return (error as Error).message.split('\n  ').slice(1);
  }
  return [];
};

test('an empty variable of the local host counts as not set, so that it creates no open admin and switches no limit off', () => {
  const empty = Object.fromEntries(variableNames.map((name) => [name, '']));
  expect(optionsFrom({ ...empty, ...inMemory })).toEqual(optionsFrom(inMemory));
  expect(optionsFrom(inMemory)).toMatchObject({ host: '127.0.0.1', port: 3_000, withDemo: true });
  expect(optionsFrom(inMemory).settings.RATE_LIMIT_PER_SECOND).toBe(30);
});

test('there is MQTT only when a port is set for it', () => {
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
test('a trusted proxy is set as a whole or not at all', () => {
  expect(read(proxy).settings).toMatchObject({
    ...proxy,
    TRUSTED_PROXY_HEADER: 'x-viewer',
    TRUSTED_PROXY_SECRET_HEADER: 'x-secret',
  });
  const { TRUSTED_PROXY_SECRET: _, ...part } = proxy;
  expect(refused(part)).toEqual([expect.stringMatching(/^TRUSTED_PROXY_SECRET is missing: /)]);
  // One that is wrong is not missing.
  expect(refused({ ...part, TRUSTED_PROXY_SECRET: 'short' })).toEqual([
    expect.stringMatching(/^TRUSTED_PROXY_SECRET wants /),
  ]);
});

/** Each variable with values that it does not take. A variable that is not here fails the test below. */
const wrong: Record<string, readonly string[]> = {
  HOST: ['two words', '0.0.0.0/0', 'http://here'],
  PORT: ['abc', '65536', '-1', '1.5', ' 1'],
  TLS_CERT: ['a\0b'],
  TLS_KEY: ['a\0b'],
  DATA_DIR: ['a\0b'],
  ADMIN_USERNAME: ['a\nb', 'x'.repeat(65)],
  ADMIN_PASSWORD: ['x', 'password123', 'x'.repeat(1_025)],
  PROVISIONING_KEY: [' a', 'a b '],
  RATE_LIMIT_PER_SECOND: ['-1', '1.5', '1e3', 'off', '1000001'],
  TRUSTED_PROXY_HEADER: ['a b', 'a:b'],
  TRUSTED_PROXY_SECRET_HEADER: ['a b'],
  TRUSTED_PROXY_SECRET: ['short', 'two words that are long', 'sha256:zz'],
  QUOTAS: ['{', '[]', '50', 'null', '{"bot":1}', '{"bots":-1}', '{"bots":"1"}', '{"webhooks":1001}'],
  RETRY_SCHEDULE: ['0,86401', '0,x', '-1', '0;5', Array(21).fill('1').join()],
  SENSOR_INACTIVE_AFTER_SECONDS: ['0', '86401', 'x'],
  DELIVERY_DEADLINE_SECONDS: ['0', '16', '1.5'],
  GONE_AFTER_SECONDS: ['-1', '86401', '1.5'],
  ALLOW_PRIVATE_TARGETS: ['yes', 'TRUE', '1'],
  ALLOWED_TARGET_RANGES: ['10.0.0.0/33', '10.0.0.0', 'here', '10.0.0.0/8,x'],
  CREDENTIALS_SINCE: ['now', '2026-11-22', '2026-11-22T10:00:00', '2026-22-11T10:00:00Z', '1763805600000'],
  PUBLIC_URL: ['foo', 'https://cloud.example.org/api/v1', 'ftp://a', 'https://a@b', 'https://a?b'],
  DEVICE_URL: ['foo', 'https://cloud.example.org/api/v1'],
  OWN_URLS: ['foo', 'https://a,b'],
  CORS_ORIGINS: [
    '*',
    'null',
    'app.example.org',
    'https://*.example.org',
    'https://app.example.org/',
    'https://app.example.org/x',
    'https://APP.example.org',
    'https://app.example.org:443',
    'ftp://app.example.org',
    'https://a.example?x',
    'https://a@app.example.org',
    'https://a.example,*',
    'https://a.example:99999',
    'file://',
    Array(21).fill('https://a.example').join(),
  ],
  SERVICE_NAME: ['a\nb', 'x'.repeat(65)],
  MAIL_SENDER: ['nobody', 'a b@c'],
  TELEGRAM_TOKEN: ['a-token', '123:short'],
  OIDC_ISSUER: ['here', 'ftp://a', 'https://a?b', 'https://a#b', 'https://a@b'],
  OIDC_CLIENT_ID: ['a b'],
  OIDC_NAME: ['a\nb', 'x'.repeat(65)],
  OIDC_RULES: [
    '{',
    '{}',
    '[{}]',
    '[{"claim":"a","value":"b","permissions":["all"]}]',
    '[{"claim":"a","value":"b","x":1}]',
  ],
  OIDC_CLIENT_SECRET: ['a secret'],
  OIDC_SCOPES: ['profile', 'openid\tprofile'],
  CANARY: ['yes', '1'],
  HEARTBEAT_URL: ['here', 'ftp://a'],
  MAKER_A_FEEDBACK_URL: ['here', 'ftp://a', 'https://a@b', 'https://a/#b', 'https://a\\b'],
  DEMO: ['no', '0'],
  MQTT_PORT: ['-1', 'x'],
  AWS_ENDPOINT_URL_DYNAMODB: ['here', '127.0.0.1:8000', 'ftp://here'],
  AWS_ENDPOINT_URL_SQS: ['here'],
  AWS_ENDPOINT_URL_KMS: ['here', '127.0.0.1:8080'],
};

describe('a wrong setting is refused in one sentence, with what it wants, an example, and what it is unless that is secret:', () => {
  test.each(variableNames)('%s', (name) => {
    const variable: Variable = variables[name];
    const values = wrong[name] ?? [];
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) {
      const [sentence, ...others] = refused({ [name]: value });
      expect([name, value, others]).toEqual([name, value, []]);
      expect(sentence).toContain(`${name} wants ${variable.wants}`);
      if (variable.example !== undefined) expect(sentence).toContain(`such as ${variable.example}`);
      const start = JSON.stringify(value).slice(0, 20);
      expect([value, sentence?.includes(start)]).toEqual([value, !variable.isSecret]);
    }
  });

  test('its example is one that it takes', () => {
    for (const name of variableNames) {
      const { example, read: readOne }: Variable = variables[name];
      if (example !== undefined) expect([name, readOne(example)]).not.toEqual([name, null]);
    }
  });
});

test('all wrong settings are named at once', () => {
  const all = { PORT: 'x', QUOTAS: '{"bots":-1,"cats":1}', DEMO: 'maybe', ADMIN_PASSWORD: 'hunter2' };
  expect(refused(all)).toEqual([
    'PORT wants a whole number from 0 to 65535, such as 3000; it is "x"',
    'ADMIN_PASSWORD wants 10 to 1024 bytes, and none of the most common passwords',
    expect.stringMatching(/^QUOTAS wants .*: bots must be a whole number from 0 to 10000, there is no quota cats$/),
    'DEMO wants true or false; it is "maybe"',
  ]);
});

test('origins are taken as browsers name them, and each wrong one is named', () => {
  const taken = 'https://app.example.org,http://localhost:5173,http://[::1]:8080';
  expect(read({ CORS_ORIGINS: taken }).settings.CORS_ORIGINS).toEqual(taken.split(','));
  expect(refused({ CORS_ORIGINS: '*, https://a.example,https://b.example/' })).toEqual([
    expect.stringMatching(/: wrong is "\*", "https:\/\/b\.example\/"$/),
  ]);
});

describe('settings that do not fit together are refused:', () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, 'no certificate');
  test.each<[string, Record<string, string>, RegExp]>([
    ['one port for two', { PORT: '1883', MQTT_PORT: '1883' }, /^MQTT_PORT is the same port as PORT$/],
    ['a certificate without its key', { TLS_CERT: file }, /^TLS_KEY is missing/],
    [
      'a certificate that is not there',
      { TLS_CERT: '/nowhere', TLS_KEY: file },
      /^TLS_CERT: the file \/nowhere cannot/,
    ],
    ['a data folder that is a file', { DATA_DIR: file }, /^DATA_DIR wants a folder; .*a-file is a file$/],
    [
      'a data folder below a file',
      { DATA_DIR: join(file, 'x') },
      /^DATA_DIR: the folder .* cannot be written \(ENOTDIR/,
    ],
    ['a data folder below /proc', { DATA_DIR: '/proc/here/x' }, /^DATA_DIR: the folder .* cannot be written \(ENOENT/],
    [
      'a short password on the network',
      { HOST: '0.0.0.0', ADMIN_PASSWORD: 'eleven-byte' },
      /^ADMIN_PASSWORD wants at l/,
    ],
    [
      'an external table without a folder for the key of its secrets',
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' },
      /^DATA_DIR wants a folder/,
    ],
  ])('%s', (_, env, says) => {
    expect(refused(env)).toEqual([expect.stringMatching(says)]);
  });
});

test('an external table needs no folder where an external key seals its secrets', () => {
  const engines = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000', AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:8080' };
  const options = optionsFrom({ ...engines, DATA_DIR: ':memory:' });
  expect(options).toMatchObject({ dataDir: ':memory:', keyEndpoint: 'http://127.0.0.1:8080' });
});

test('a folder that is not there yet is made', () => {
  expect(optionsFrom({ DATA_DIR: join(folder, 'new', 'one') })).toMatchObject({ dataDir: join(folder, 'new', 'one') });
});

test('whoever listens on the network without TLS or a proxy is warned of what can be read', () => {
  const warnings = (env: Record<string, string>) => read({ HOST: '0.0.0.0', ...env }).warnings;
  expect(warnings({})).toEqual([expect.stringMatching(/can read passwords, tokens and alarms/)]);
  expect([warnings({ HOST: '127.0.0.1' }), warnings({ HOST: '::1' }), warnings(proxy)]).toEqual([[], [], []]);
});

test.each([
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DIRECTORY', 'DATA_DIR'],
  ['port', 'PORT'],
  ['RATE_LIMIT', 'RATE_LIMIT_PER_SECOND'],
  ['RATE_LIMIT_PER_SECONDS', 'RATE_LIMIT_PER_SECOND'],
  ['ADMIN_PASSWROD', 'ADMIN_PASSWORD'],
  ['ADMIN_PASS', 'ADMIN_PASSWORD'],
  ['QUOTA', undefined],
  ['PATH', undefined],
  ['HOSTNAME', undefined],
  ['HOME', undefined],
  ['SSH_AUTH_SOCK', undefined],
])('the variable %s, which is none, is a warning that %s is meant', (given, meant) => {
  expect(similarTo(given, variableNames)).toBe(meant);
  const said = meant === undefined ? [] : [`there is no variable ${given}: is ${meant} meant?`];
  expect(read({ [given]: '1' }).warnings).toEqual(said);
});

test('messages per second are not limited when calls are not, unless their quota is set', () => {
  const quotaOf = (env: Record<string, string>) => read(env).settings.QUOTAS.messagesPerSecond;
  const named = { QUOTAS: '{"messagesPerSecond":7}' };
  const off = { RATE_LIMIT_PER_SECOND: '0' };
  expect([quotaOf({}), quotaOf(named), quotaOf(off), quotaOf({ ...off, ...named })]).toEqual([100, 7, 0, 7]);
  expect(quotaOf({ ...off, QUOTAS: '{"bots":7}' })).toBe(0);
});
