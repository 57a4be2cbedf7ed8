import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { item, part } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { anyText } from '#test/fixtures/any-text.ts';

const thing = item('C#{customerId}#T#{type}', 'THING#{name}#{0number}');
const text = fc.oneof(anyText(), fc.stringMatching(/^[%#0-9a-f]{0,12}$/));
const integer = fc.nat({ max: Number.MAX_SAFE_INTEGER });

describe('keys', () => {
  test('a key consists of its templates with values filled in', () => {
    expect(thing({ customerId: 7, type: 'a', name: 'b', number: 42 })).toEqual({
      pk: 'C#7#T#a',
      sk: 'THING#b#0000000000000042',
    });
    expect(part('X#{0id}')({ id: Number.MAX_SAFE_INTEGER })).toBe('X#9007199254740991');
    expect(part('X#{a}').template).toBe('X#{a}');
  });
  test('a key can be parsed back to the exact values, regardless of content', () => {
    const things = fc.record({ customerId: integer, type: text, name: text, number: integer });
    const property = fc.property(things, (values) => {
      const read = thing.read(thing(values));
      expect({ ...read, customerId: Number(read?.customerId), number: Number(read?.number) }).toEqual(values);
    });
    fc.assert(property, { numRuns: 500 });
  });
  test('a key differs for different values, because a value never looks like two parts', () => {
    const join = part('{a}#{b}');
    const pair = fc.tuple(text, text);
    const property = fc.property(pair, pair, ([a, b], [c, d]) => {
      expect(join({ a, b }) === join({ a: c, b: d })).toBe(a === c && b === d);
    });
    fc.assert(property, { numRuns: 500 });
    expect(join({ a: 'x#y', b: 'z' })).not.toBe(join({ a: 'x', b: 'y#z' }));
    expect(join({ a: '%23', b: '' })).not.toBe(join({ a: '#', b: '' }));
  });
  test('a key sorts by its padded number', () => {
    const at = part('{0id}');
    fc.assert(fc.property(integer, integer, (a, b) => at({ id: a }) < at({ id: b }) === a < b));
  });
  test('a key cannot be parsed as another kind', () => {
    const key = items.sensor({ customerId: 1, sensorId: 'id_x' });
    expect(items.webhook.read(key)).toBeNull();
    expect(items.sensor.read({ ...key, pk: 'C#1#MORE' })).toBeNull();
    expect(items.sensor.read(key)).toEqual({ customerId: '1', sensorId: 'id_x' });
  });
  test('a key keeps `$&` and templates in values unchanged', () => {
    expect(part('A#{b}')({ b: '$&{b}$1' })).toBe('A#$&{b}$1');
  });
});

describe('table items', () => {
  test('each item kind has a different key template', () => {
    const templates = Object.values(items).map(({ template }) => template);
    expect(new Set(templates).size).toBe(templates.length);
  });
});
