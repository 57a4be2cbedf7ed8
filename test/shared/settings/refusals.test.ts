import { describe, expect, test } from 'vitest';
import { settings as ofStage } from '#lib/aws/settings/settings.ts';
import { keyOf, stageFrom } from '#lib/aws/settings/stage.ts';
import { optionsFrom } from '#lib/local/options.ts';
import { variables as ofHost } from '#lib/local/variables.ts';
import { environment as ofFunctions, settingsFrom } from '#shared/runtime/env.ts';
import type { Setting } from '#shared/settings/setting.ts';

type Declared = Readonly<Record<string, Setting<unknown>>>;
const refused = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

/** All settings that are read at a start: where, its declarations, and what is said when one has this value. */
const places: [place: string, declared: Declared, refusal: (name: string, value: unknown) => string][] = [
  ['a function', ofFunctions, (name, value) => refused(() => settingsFrom({ [name]: String(value) }))],
  [
    'the local host',
    ofHost,
    (name, value) => refused(() => optionsFrom({ DATA_DIR: ':memory:', [name]: String(value) })),
  ],
  ['a stage', ofStage, (name, value) => refused(() => stageFrom((key) => (key === name ? value : undefined)))],
];

const long = 'x'.repeat(2_049);
/** What some setting might be given by mistake, the same for all of them. */
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
/** Settings that take any text: what AWS gives to a function, which nobody types. */
const takesAll = (setting: Setting<unknown>) => setting.wants.includes('any text');

describe.each(places)('what %s refuses', (place, declared, refusal) => {
  const all = Object.entries(declared).map(
    ([name, setting]) => [place === 'a stage' ? keyOf(name as keyof typeof ofStage) : name, setting] as const,
  );

  test.each(all)('%s: says what it wants, shows no secret, and takes what it says', (name, setting) => {
    const wrong = mistakes.filter((value) => setting.read(value) === null);
    expect(wrong.length > 0 || takesAll(setting)).toBe(true);
    for (const value of wrong) {
      const says = refusal(name, value);
      expect(says).toContain(`\n  ${name} wants ${setting.wants}`);
      expect(says).not.toContain('hunter2');
      if (setting.isSecret) expect(says).not.toMatch(/tr0ub4dor|it is "/);
    }
    if (setting.example !== undefined) expect([name, setting.read(setting.example)]).not.toEqual([name, null]);
  });

  test.each(all.filter(([, { wants }]) => /^a whole number/.test(wants)))(
    '%s: its bounds are those named',
    (_, setting) => {
      const [least, most] = setting.wants.match(/\d+/g)?.map(Number) ?? [];
      if (least === undefined || most === undefined) throw new Error(setting.wants);
      expect([least - 1, least, most, most + 1].map((value) => setting.read(value))).toEqual([null, least, most, null]);
    },
  );

  test('what a length is said of has it', () => {
    for (const [name, { wants, read }] of all) {
      const most = Number(/ (\d+) (?:printable )?(?:characters|letters)/.exec(wants)?.[1]);
      if (most && !wants.includes('JSON')) expect([name, read('x'.repeat(most + 9))]).toEqual([name, null]);
    }
  });
});

test.each([
  ['quotas', '{"bots":-1,"cats":1}', 'bots must be a whole number from 0 to 10000, there is no quota cats'],
  ['quotas', '{"webhooks":1001}', 'webhooks must be a whole number from 0 to 1000'],
  ['throttle', '{"reads":{"rate":0}}', 'reads wants .*rate wants a whole number from 1 to 100000.*it is "0"'],
  ['deviceThrottle', '{"rate":1,"rates":1}', 'there is no part rates'],
  ['concurrency', '{"sweep":0.5}', 'sweep wants a whole number from 0 to 10000'],
  ['throttle', '50', 'it is no JSON object'],
  ['trustedProxy', '{"header":"X-A","secret":"a-secret-of-16-or-more"}', 'wrong or missing is secretHeader'],
  ['trustedProxy', '{"header":"X-A","secretHeader":"X-B","secret":"short"}', 'wrong or missing is secret'],
  ['retrySchedule', '0,5,x', 'wrong is "x"'],
])('a refused part of %s is named, with what is allowed: %s', (name, value, says) => {
  const message = refused(() => stageFrom((key) => (key === name ? value : undefined)));
  expect(message).toMatch(new RegExp(`^wrong settings of the stage:\\n  ${name} wants .*: .*${says}`));
});

test('a function that does not start says which quota is wrong, and its largest value', () => {
  const message = refused(() => settingsFrom({ QUOTAS: '{"webhooks":5000,"cats":1}', RATE_LIMIT_PER_SECOND: '-1' }));
  expect(message).toMatch(/^wrong environment:\n {2}RATE_LIMIT_PER_SECOND wants a whole number from 0 to 1000000.*\n/);
  expect(message).toMatch(/QUOTAS wants .*: webhooks must be a whole number from 0 to 1000, there is no quota cats$/);
});

test('a proxy that is told of in part is refused by functions too, and its secret is not shown', () => {
  const message = refused(() => settingsFrom({ TRUSTED_PROXY_SECRET: 'hunter2-hunter2-hunter2' }));
  expect(message.match(/is missing/g)).toHaveLength(2);
  expect(message).not.toContain('hunter2');
});
