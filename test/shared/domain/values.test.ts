import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { criticalFields } from '#shared/domain/config/critical.ts';
import { hostSchema, textField, validValues } from '#shared/domain/config/field.ts';
import { email } from '#shared/domain/identity/email.ts';
import { Rule, RuleUpdate } from '#shared/domain/rule/rule.ts';
import { text, uuid } from '#shared/domain/values.ts';
import { anyText } from '#test/fixtures/any-text.ts';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const samples = {
  'an email address': {
    schema: email,
    good: [
      '',
      'a@b.cd',
      "o'neil+tag@mail.example.co.uk",
      '!#$%&*/=?^_`{|}~-@b.de',
      'a@xn--mnchen-3ya.xn--p1ai',
      'müller@example.de',
      'user@münchen.de',
      'δοκιμή@παράδειγμα.δοκιμή',
      '用户@例子.广告',
      'अजय@डाटा.भारत',
      '\u{20000}@b.de',
      `${'\u{20000}'.repeat(249)}@b.de`,
    ],
    bad: [
      'a',
      'a@',
      '@b.cd',
      'a@b',
      'a@b.c',
      'a b@c.de',
      'a@b .de',
      'a..b@c.de',
      '.a@b.de',
      'a.@b.de',
      'a@.de',
      'a@b..de',
      'a@-b.de',
      'a@b.12',
      'a@@b.de',
      'a@b@c.de',
      'a@b.de.',
      'a,b@c.de',
      'a@[127.0.0.1]',
      'a@b_c.de',
      'a\n@b.de',
      'a@b.de\n',
      'a\u0000@b.de',
      'a\u00a0@b.de',
      'a\u200b@b.de',
      '\ud800@b.de',
      'a@b\u3000.de',
      ' ',
      `${'x'.repeat(250)}@b.de`,
      `${'a.'.repeat(5_000)}@`,
      `a@${'b.'.repeat(5_000)}`,
    ],
  },
  'a host': {
    schema: hostSchema(),
    good: [
      'a',
      'ntp',
      'europe.pool.ntp.org',
      '0.pool.ntp.org',
      'A-1.b',
      '1a',
      '192.168.0.1',
      '::1',
      '2001:db8::1',
      [63, 63, 63, 61].map((length) => 'x'.repeat(length)).join('.'),
    ],
    bad: [
      '',
      'a b',
      ' a',
      'a.',
      '.a',
      'a..b',
      '-a',
      'a-',
      'a_b',
      'ä',
      'http://a',
      'a/b',
      'a:123',
      '[::1]',
      'a\n',
      '1.2.3',
      '256.1.1.1',
      '1.2.3.4.5',
      '::g',
      'x'.repeat(64),
      [63, 63, 63, 62].map((length) => 'x'.repeat(length)).join('.'),
    ],
  },
  'a text': {
    schema: text(1, 3),
    good: ['a', 'ä\u{1f3e5}', '\u{10ffff}', '\u200f\u05d0', '\u200d'],
    bad: [
      '',
      'abcd',
      'a\u0000',
      '\u001f',
      '\ud800',
      '\udc00\ud800',
      '\ufffe',
      '\uffff',
      '\n',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u2029',
      '\u202a',
      '\u202e',
      '\u2066',
      '\u2069',
    ],
  },
};

describe.each(Object.entries(samples))('%s', (_, { schema, good, bad }) => {
  const documented = ajv.compile(z.toJSONSchema(schema));
  const accepts = (value: string) => schema.safeParse(value).success;

  test('accepts only well-formed values, in any script', () => {
    expect(good.filter((value) => !accepts(value))).toEqual([]);
    expect(bad.filter(accepts)).toEqual([]);
  });

  test('accepts no value that the JSON Schema rejects', () => {
    expect(good.filter((value) => !documented(value))).toEqual([]);
    // The documented pattern has to work in all regex engines. It allows more than the service accepts, but not
    // everything.
    expect(bad.filter((value) => !documented(value)).length).toBeGreaterThan(2);
    fc.assert(
      fc.property(anyText(5), (value) => !accepts(value) || documented(value)),
      { numRuns: 500 },
    );
  });
});

test('text has a length in code points, and says which rule it breaks', () => {
  const issuesOf = (value: string) => text(1, 3).safeParse(value).error?.issues ?? [];
  for (const good of ['a', 'abc', '\u{20000}\u{20000}\u{20000}']) expect(issuesOf(good)).toEqual([]);
  for (const bad of ['', 'abcd'])
    expect(issuesOf(bad)).toMatchObject([{ code: 'custom', params: { key: 'text_length', min: 1, max: 3 } }]);
  expect(issuesOf('a\u202e')).toMatchObject([{ code: 'custom', params: { key: 'text_characters' } }]);
});

test('a UUID is stored in lowercase', () => {
  expect(uuid.parse('0B6C4A1E-5D1F-4C7A-9A53-2F1F6F0C9D11')).toBe('0b6c4a1e-5d1f-4c7a-9a53-2f1f6f0c9d11');
});

test('a stored value that is no longer allowed is replaced with the default', () => {
  const stored = { ntpServerPrimary: 'a b', ntpServerSecondary: 'ntp', presenceReportMinRateSec: 5 };
  expect(validValues(criticalFields, stored)).toMatchObject({ ...stored, ntpServerPrimary: 'europe.pool.ntp.org' });
});

test('stored text that predates the character rules is kept', () => {
  const old = { name: 'a\u202eb', title: 'c\u2028', message: 'd\u007f' };
  const rule = { ...old, id: 1, createDate: 1, updateDate: 1, customerId: 1, situation: 'apnea' };
  const recipients = [{ userId: 1, by: 'email' }];
  expect(Rule.parse({ ...rule, recipients })).toMatchObject(old);
  expect(RuleUpdate.safeParse({ ...rule, recipients }).error?.issues.map(({ path }) => path[0])).toEqual(
    Object.keys(old),
  );
  expect(validValues({ name: textField([3, 64], 'Sensor', 'name') }, { name: 'Room\u202e 1' })).toEqual({
    name: 'Room 1',
  });
});
