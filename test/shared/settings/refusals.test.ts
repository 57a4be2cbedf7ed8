import { describe, expect, test } from 'vitest';
import { settings as ofStage } from '#lib/aws/settings/settings.ts';
import { stageFrom } from '#lib/aws/settings/stage.ts';
import { optionsFrom } from '#lib/local/options.ts';
import { variables as ofHost } from '#lib/local/variables.ts';
import { settingsFrom } from '#shared/runtime/env.ts';
import { environment as ofFunctions } from '#shared/settings/environment.ts';
import { settingsFor } from '#shared/settings/hosts.ts';
import type { Setting, SettingRows } from '#shared/settings/setting.ts';

const refused = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

/** Where settings are read, their declarations, and the error for a value. */
const readers: [reader: string, declared: SettingRows, refusal: (name: string, value: unknown) => string][] = [
  ['a function', ofFunctions, (name, value) => refused(() => settingsFrom({ [name]: String(value) }))],
  [
    'the local host',
    ofHost,
    (name, value) => refused(() => optionsFrom({ DATA_DIR: ':memory:', [name]: String(value) })),
  ],
  [
    'a stage',
    settingsFor(ofStage, 'prod'),
    (name, value) => refused(() => stageFrom((key) => (key === name ? value : undefined))),
  ],
];

const long = 'x'.repeat(2_049);
/** Invalid values to try with every setting. */
const mistakes = [
  '-1',
  '1.5',
  '1e3',
  '99999999999',
  ' 1',
  'yes',
  'TRUE',
  'two words',
  'a\0b',
  'a\nb',
  long,
  '*',
  '{',
  '[]',
  'null',
  'http://',
  'ftp://a',
  'https://user:hunter2-hunter2@host/a b',
  '10.0.0.0/33',
  'a@b@c',
  '2026-22-11T10:00:00Z',
  'arn:aws:iam::1:user/x',
  '{"nothing":1}',
  'password123',
  'sha256:tr0ub4dor',
  '0,86401',
  '31 days',
  '{"secret":"tr0ub4dor-and-3 "}',
  '{"rate":0}',
  '{"devices":-1}',
  '{"reads":{"rate":0}}',
  '{"webhooks":1001}',
];
/**
 * Whether a setting accepts a value. Settings without a schema accept any string, which a host has checked for
 * functions.
 */
const accepts = ({ schema }: Setting, value: unknown): boolean => schema?.().safeParse(value).success ?? true;
const descriptionOf = ({ schema }: Setting): string => schema?.().description ?? 'any text';

describe.each(readers)('invalid %s settings', (_, declared, refusal) => {
  const all = Object.entries<Setting>(declared);

  test.each(all)('%s: the error says what is allowed without revealing a secret', (name, setting) => {
    const wrong = mistakes.filter((value) => !accepts(setting, value));
    expect(wrong.length > 0 || descriptionOf(setting).includes('any text')).toBe(true);
    for (const value of wrong) {
      const error = refusal(name, value);
      expect(error).toContain(`\n  ${name} must be ${descriptionOf(setting)}`);
      expect(error).not.toContain('hunter2');
      if (setting.about?.isSecret) expect(error).not.toMatch(/tr0ub4dor|it is "/);
    }
    const example = setting.about?.example;
    if (example !== undefined) expect([name, accepts(setting, example)]).toEqual([name, true]);
  });

  test.each(all.filter(([, setting]) => /^a whole number/.test(descriptionOf(setting))))(
    '%s: accepts the bounds in its description and nothing beyond',
    (_, setting) => {
      const description = descriptionOf(setting);
      const [minimum, maximum] = description.match(/\d+/g)?.map(Number) ?? [];
      if (minimum === undefined || maximum === undefined) throw new Error(description);
      const around = [minimum - 1, minimum, maximum, maximum + 1];
      expect(around.map((value) => accepts(setting, value))).toEqual([false, true, true, false]);
    },
  );

  test('strings are limited to the lengths in their descriptions', () => {
    for (const [name, setting] of all) {
      const description = descriptionOf(setting);
      const maximum = Number(/ (\d+) (?:printable )?characters/.exec(description)?.[1]);
      if (maximum && !description.includes('JSON'))
        expect([name, accepts(setting, 'x'.repeat(maximum + 9))]).toEqual([name, false]);
    }
  });
});

test('every host setting has a schema with a description', () => {
  const ofHosts = [ofHost, settingsFor(ofStage, 'prod')].flatMap((rows) => Object.entries<Setting>(rows));
  expect(ofHosts.filter(([, { schema }]) => !schema?.().description)).toEqual([]);
});

test.each([
  [
    'quotas',
    '{"bots":-1,"cats":1}',
    ': bots: must be a whole number from 0 to 10000, not -1; Unrecognized key: "cats"',
  ],
  ['quotas', '{"webhooks":1001}', ': webhooks: must be a whole number from 0 to 1000, not 1001'],
  [
    'throttle',
    '{"reads":{"rate":0}}',
    'reads, .* rate, burst .each a whole number from 1 to 100000.*: reads.rate is 0',
  ],
  ['deviceThrottle', '{"rate":1,"rates":1}', ': Unrecognized key: "rates"'],
  ['concurrency', '{"sweep":0.5}', 'each a whole number from 0 to 10000.*: sweep is 0.5'],
  ['throttle', '50', 'a JSON object .*; it is "50": Invalid input: expected object, received number'],
  ['trustedProxy', '{"header":"X-A","secret":"a-secret-of-16-or-more"}', ': secretHeader: must be a header name'],
  ['trustedProxy', '{"header":"X-A","secretHeader":"X-B","secret":"short"}', ': secret: must be 16 to 1024 printable'],
  ['retrySchedule', '0,5,x', 'each a whole number from 0 to 86400 .*: \\[2\\] is "x"'],
  ['retrySchedule', Array(21).fill('1').join(), 'up to 20 comma-separated values.*: has more than 20 entries'],
  ['oidcRules', '[{"claim":"a"}]', ': \\[0\\].value: Invalid input: expected string, received undefined'],
])('an error names the invalid part of %s and what is allowed: %s', (name, value, error) => {
  const message = refused(() => stageFrom((key) => (key === name ? value : undefined)));
  expect(message).toMatch(new RegExp(`^invalid settings of the stage:\\n  ${name} must be .*${error}`));
});

test('a function that fails to start names the invalid quota and the maximum', () => {
  const message = refused(() => settingsFrom({ QUOTAS: '{"webhooks":5000,"cats":1}', RATE_LIMIT_PER_SECOND: '-1' }));
  expect(message).toMatch(
    /^invalid environment:\n {2}RATE_LIMIT_PER_SECOND must be a whole number from 0 to 1000000\n/,
  );
  expect(message).toMatch(
    /QUOTAS must be .*; webhooks: must be a whole number from 0 to 1000; Unrecognized key: "cats"$/,
  );
});

test('a function does not log the value of an invalid variable', () => {
  const variables = { SERVICE_NAME: 'hunter2\n', QUOTAS: '{"bots":"hunter2"}', CORS_ORIGINS: 'hunter2' };
  expect(refused(() => settingsFrom(variables)).match(/must be/g)?.length).toBeGreaterThan(2);
  expect(refused(() => settingsFrom(variables))).not.toContain('hunter2');
});

test('functions reject incomplete trusted proxy settings without revealing the secret', () => {
  const message = refused(() => settingsFrom({ TRUSTED_PROXY_SECRET: 'hunter2-hunter2-hunter2' }));
  expect(message.match(/is missing/g)).toHaveLength(2);
  expect(message).not.toContain('hunter2');
});
