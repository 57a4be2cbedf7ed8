import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '#shared/domain/delivery/delivery.ts';
import { Format } from '#shared/domain/formats/format.ts';
import { canExpressEvent, formatsWithout } from '#shared/domain/formats/formats.ts';
import { render } from '#shared/domain/formats/render.ts';
import { kinds, type Situation } from '#shared/domain/kinds.ts';
import { parseMessages } from '#shared/ingest/messages.ts';
import { anyText } from '#test/fixtures/any-text.ts';

const service = { name: 'Sensor Cloud', url: 'https://cloud.example', version: '1' };
const snapshot: Snapshot = {
  service,
  acknowledgeUntil: 0,
  event: {
    id: 7,
    uuid: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
    createDate: 1_795_230_444_137,
    type: 'fall',
    action: 'fall_detected',
    code: 1,
    coordinates: { x: 0.5, y: 0.25, z: 0 },
    text: 'Fall detected',
    source: 'f603585e-d6b4-5a8c-9897-a4d1548407ea',
  },
  sensor: { id: 'id_123456789', deviceId: `id_${'a'.repeat(23)}`, name: 'Room 1', groupId: 0 },
  customer: { id: 3, name: 'Maple', location: 'Ground floor' },
  rule: {
    id: 4,
    createDate: 1,
    name: 'Falls',
    title: 'T',
    message: 'M',
    groupId: 0,
    situation: 'fall_detected',
    hasRegion: false,
    regionIndex: -1,
    regionName: '',
  },
};
const context = {
  service,
  acknowledgeUrl: null,
  webhook: { id: 'w', name: 'hook', isCustomerHook: false },
  raw: '{"type":5,  "payload":{"b":1,"a":1.50}}',
};

/** The same fields in reverse order, as the table may return them. */
const reversed = <T>(value: T): T => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, value]) => [name, reversed(value)]),
  ) as T;
};

describe('render', () => {
  test.each(Format.options)('render returns the same %s bytes regardless of field order in the snapshot', (format) => {
    expect(render(format, reversed(snapshot), context)).toBe(render(format, snapshot, context));
  });

  test('full contains every key, even if the value is null', () => {
    const event = { ...snapshot.event, coordinates: null, source: null };
    const bare = { ...snapshot, customer: null, rule: null, event };
    const payload = JSON.parse(render('full', bare, { ...context, raw: null }));
    expect(payload).toMatchObject({ customer: null, rule: null, event: { normalizedCoordinates: null, raw: {} } });
    const acknowledging = ['acknowledgeUrl', 'acknowledgement'];
    expect(Object.keys(payload)).toEqual([
      'service',
      'webhook',
      'event',
      'sensor',
      'customer',
      'rule',
      ...acknowledging,
    ]);
  });

  test('custom1 truncates text and omits missing values', () => {
    const long = { ...snapshot, sensor: { ...snapshot.sensor, name: '' }, customer: { id: 1, name: '', location: '' } };
    const event = { ...snapshot.event, coordinates: null, text: '😀'.repeat(300) };
    const payload = JSON.parse(render('custom1', { ...long, event, rule: null }, context));
    expect([...payload.description]).toHaveLength(256);
    expect(payload).toMatchObject({ sensorName: 'id_123456789', location: null, eventType: 1 });
    expect(payload).not.toHaveProperty('title');
    expect(payload).not.toHaveProperty('normalizedCoordinates');
  });

  test('raw returns the device bytes', () => {
    expect(render('raw', snapshot, context)).toBe(context.raw);
  });

  test.each(['full', 'raw'] as const)('render throws in %s if the device message is missing', (format) => {
    expect(() => render(format, snapshot, { ...context, raw: null })).toThrow('the message of a delivery is missing');
  });

  // Every attempt at a delivery must send the same bytes, even if a new version is deployed between attempts.
  test('full and custom1 bytes never change between versions', () => {
    expect(render('full', snapshot, context)).toBe(
      '{"service":{"name":"Sensor Cloud","url":"https://cloud.example","version":"1"},' +
        '"webhook":{"id":"w","name":"hook","isCustomerHook":false},"event":{"id":7,' +
        '"uuid":"f603585e-d6b4-5a8c-9897-a4d1548407ea","createDate":1795230444137,"type":"fall",' +
        '"action":"fall_detected","normalizedCoordinates":{"x":0.5,"y":0.25,"z":0},' +
        '"raw":{"type":5,  "payload":{"b":1,"a":1.50}}},' +
        '"sensor":{"id":"id_123456789","name":"Room 1","groupId":0},' +
        '"customer":{"id":3,"name":"Maple","location":"Ground floor"},"rule":{"id":4,"createDate":1,"name":"Falls",' +
        '"title":"T","message":"M","groupId":0,"situation":"fall_detected","situationDescription":"Fall detected",' +
        '"hasRegion":false,"regionIndex":-1,"regionName":""},"acknowledgeUrl":null,"acknowledgement":null}',
    );
    expect(render('custom1', snapshot, context)).toBe(
      '{"sensorId":"id_aaaaaaaaaaaaaaaaaaaaaaa","sensorName":"Room 1","location":"Ground floor",' +
        '"description":"Fall detected","title":"T","message":"M","createDate":1795230444137,' +
        '"normalizedCoordinates":{"x":0.5,"y":0.25,"z":0},"eventType":1}',
    );
  });
});

describe('event.raw in full', () => {
  const space = fc.stringMatching(/^[ \n\r\t]{0,2}$/);
  const spaced = (text: fc.Arbitrary<string>) => fc.tuple(space, text, space).map((parts) => parts.join(''));
  const joined = (texts: fc.Arbitrary<string>) =>
    fc.array(spaced(texts), { maxLength: 4 }).map((items) => items.join(','));
  const number = fc.oneof(
    fc.stringMatching(/^-?(0|[1-9]\d{0,40})(\.\d{1,40})?([eE][+-]?\d{1,4})?$/),
    fc.constantFrom('9007199254740993', '-0', '1e400', '0.10', '1.7976931348623157e309'),
  );
  const string = fc.oneof(
    anyText().map((text) => JSON.stringify(text)),
    fc.stringMatching(/^"(\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|[ !#-[\]-~])*"$/),
    fc.constantFrom('"__proto__"', '"constructor"', '"raw"', '"a"', '"\\ud800"', '"\u2028"', '"}},\\""'),
  );
  const leaf = fc.oneof(number, string, fc.constantFrom('true', 'false', 'null'));
  const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, tie('object'), tie('array')),
    array: joined(tie('value')).map((inside) => `[${inside}]`),
    object: joined(fc.tuple(spaced(string), spaced(tie('value'))).map(([name, value]) => `${name}:${value}`)).map(
      (inside) => `{${inside}}`,
    ),
  }));
  /** Nested as deeply as device messages can be. */
  const nested = fc
    .tuple(object, fc.nat(24))
    .map(([inside, depth]) => '{"a":'.repeat(depth) + inside + '}'.repeat(depth));
  const ofService = { ...snapshot, event: { ...snapshot.event, source: null } };
  const [before = '', after = ''] = render('full', ofService, { ...context, raw: null }).split('"raw":{}');

  test('event.raw contains the message text unchanged', () => {
    fc.assert(
      fc.property(fc.array(nested, { minLength: 1, maxLength: 3 }), (texts) => {
        const sent = parseMessages(`[${texts.join(' , ')}]`, { manufacturer: 'maker_a' }, 2_000_000);
        if ('refusal' in sent) throw new Error(sent.refusal);
        expect(sent.messages.map(({ raw }) => raw)).toEqual(texts);
        for (const { raw } of sent.messages) {
          const body = render('full', snapshot, { ...context, raw });
          expect(body).toBe(`${before}"raw":${raw}${after}`);
          const { event, ...others } = JSON.parse(body);
          expect(others).not.toHaveProperty('raw');
          expect(Object.keys(others)).toHaveLength(7);
          expect(event.raw).toEqual(JSON.parse(raw));
        }
      }),
    );
  });
});

describe('formats', () => {
  test('every format except Custom 1 and Raw supports every situation', () => {
    const without = (format: Format) =>
      (Object.keys(kinds) as Situation[]).filter((situation) => formatsWithout(situation).includes(format));
    expect(without('custom1')).toEqual(expect.arrayContaining(['apnea', 'sensor_clock_wrong']));
    expect(without('custom1').some((situation) => kinds[situation].code !== null)).toBe(false);
    expect(without('raw').toSorted()).toEqual(['sensor_active', 'sensor_clock_wrong', 'sensor_inactive']);
    for (const format of ['full', 'chat', 'teams'] as const) expect(without(format)).toEqual([]);
  });

  test('Custom 1 needs an event code, and Raw needs a message', () => {
    const able = (...event: [number | null, string | null]) =>
      Format.options.filter((format) => canExpressEvent(format, ...event));
    expect(able(1, 'm')).toEqual(Format.options);
    expect(able(null, 'm')).toEqual(Format.options.filter((format) => format !== 'custom1'));
    expect(able(1, null)).toEqual(Format.options.filter((format) => format !== 'raw'));
  });
});
