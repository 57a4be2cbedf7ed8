import { describe, expect, test } from 'vitest';
import { criticalFields } from '#shared/domain/config/critical.ts';
import {
  booleanField,
  choiceField,
  defaultsOf,
  hostSchema,
  integerField,
  schemaOf,
  supportedFields,
  textField,
  validValues,
} from '#shared/domain/config/field.ts';
import { basicFields } from '#shared/domain/makers/maker-a/config.ts';
import { fallFields, vitalFields } from '#shared/domain/makers/maker-b/config.ts';

const fields = {
  always: booleanField(true, 'note'),
  old: integerField(5, 'old', { until: 40, min: 1, max: 9 }),
  recent: choiceField(['a', 'b'], 'a', '', { from: 40 }),
  between: textField([1, 3], 'x', 'text', { from: 38, until: 41 }),
} as const;
const values = { always: false, old: 1, recent: 'b', between: 'yz' } as const;

test('a device receives only configuration fields its firmware supports', () => {
  const names = (firmware: number) => Object.keys(supportedFields(fields, values, firmware)).join(' ');
  expect([37, 38, 39, 40, 41].map(names)).toEqual([
    'always old',
    'always old between',
    'always old between',
    'always recent between',
    'always recent',
  ]);
  expect(supportedFields(fields, values, 40)).toEqual({ always: false, recent: 'b', between: 'yz' });
});

test("an invalid stored value is replaced with the field's default", () => {
  expect(defaultsOf(fields)).toEqual({ always: true, old: 5, recent: 'a', between: 'x' });
  expect(validValues(fields, null)).toEqual(defaultsOf(fields));
  expect(validValues(fields, values)).toEqual(values);
  const stored = { always: 'yes', old: 10, recent: 'c', between: '' };
  expect(validValues(fields, stored as never)).toEqual(defaultsOf(fields));
  expect(validValues(fields, { between: 'y\u0000z' }).between).toBe('yz');
});

test('every configuration field is required', () => {
  const schema = schemaOf(fields);
  expect(schema.parse(values)).toEqual(values);
  for (const name of Object.keys(values))
    expect(schema.safeParse({ ...values, [name]: undefined }).success).toBe(false);
  const described = Object.entries(schema.shape).map(([name, field]) => [name, field.meta()?.description]);
  expect(Object.fromEntries(described)).toEqual({
    always: 'note',
    old: 'old; not as of v0.40',
    recent: 'from firmware v0.40',
    between: 'text; from firmware v0.38, not as of v0.41',
  });
  expect(schema.shape.old.meta()?.default).toBe(5);
  expect(schema.meta()?.examples).toEqual([defaultsOf(fields)]);
});

test('number fields accept any int32 by default', () => {
  const accepts = (value: unknown, field = integerField(0, '')) => field.schema().safeParse(value).success;
  expect([-(2 ** 31), 2 ** 31 - 1, -(2 ** 31) - 1, 2 ** 31, 0.5, '1'].map((value) => accepts(value))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect([0, 1, 9, 10].map((value) => accepts(value, fields.old))).toEqual([false, true, true, false]);
});

test('field schemas are built only once', () => {
  expect(fields.old.schema()).toBe(fields.old.schema());
});

test.each([
  ['time.example', true],
  ['a', true],
  ['a-b.c9', true],
  ['192.0.2.1', true],
  ['2001:db8::1', true],
  [`${'a'.repeat(63)}.example`, true],
  [`${'a.'.repeat(126)}b`, true],
  ['', false],
  ['-a.example', false],
  ['a-.example', false],
  ['a..b', false],
  ['a b', false],
  ['a_b', false],
  ['a.12', false],
  ['192.0.2.256', false],
  ['\u00fc.example', false],
  [`${'a'.repeat(64)}.example`, false],
  [`${'a.'.repeat(126)}bc`, false],
])('host %j is valid: %j', (host, expected) => {
  expect(hostSchema().safeParse(host).success).toBe(expected);
});

describe('sensor configurations', () => {
  test('configuration schemas accept their default values', () => {
    for (const all of [criticalFields, basicFields, fallFields, vitalFields])
      expect(schemaOf(all).safeParse(defaultsOf(all)).error).toBeUndefined();
  });

  test('bleBeaconMacAddr accepts at most 64 MAC addresses', () => {
    const accepts = (list: string[]) => criticalFields.bleBeaconMacAddr.schema().safeParse(list).success;
    const good = ['02:00:5e:10:00:01', '02005E100001'];
    expect(accepts(Array.from({ length: 64 }, (_, at) => good[at % 2] ?? ''))).toBe(true);
    expect(accepts(Array(65).fill(good[0]))).toBe(false);
    for (const bad of ['02:00:5e:10:00', '02-00-5e-10-00-01', '02005E10000', '02005E1000011', 'g2005E100001', ''])
      expect([bad, accepts([bad])]).toEqual([bad, false]);
  });

  test('enableAnalytics cannot be turned off', () => {
    const { schema, byDefault } = criticalFields.enableAnalytics;
    expect([byDefault, schema().safeParse(true).success, schema().safeParse(false).success]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
