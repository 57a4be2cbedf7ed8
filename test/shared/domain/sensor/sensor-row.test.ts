import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviceIdOf, type Sensor, type SensorRecord } from '#shared/domain/sensor/sensor.ts';
import { packSensor, unpackSensor } from '#shared/domain/sensor/sensor-row.ts';
import { isValidText, text } from '#shared/domain/values.ts';
import { anyText } from '#test/fixtures/any-text.ts';

const time = fc.oneof(fc.integer({ min: 0, max: 2 ** 53 - 1 }), fc.constantFrom(0, 1, 1_800_000_000_000));
const hardwareId = fc.stringMatching(/^[0-9A-F]{12}$/);
const name = fc.oneof(fc.string({ maxLength: 64 }), anyText(64)).map((text) =>
  [...text]
    .filter((character) => isValidText(character))
    .slice(0, 64)
    .join(''),
);
/**
 * Every sensor field shown in lists. After a field is added to `Sensor`, this does not compile until it is added here.
 */
const common = fc.record<Omit<Sensor, 'id' | 'manufacturer'>>({
  createDate: time,
  updateDate: time,
  customerId: fc.option(fc.integer({ min: 1 })),
  name,
  isActive: fc.boolean(),
  firmwareVersion: fc.integer({ min: 0 }),
  optimizationEnabled: fc.boolean(),
});
const ofMakerA = hardwareId.map((id) => ({ manufacturer: 'maker_a' as const, hardwareId: id, id: deviceIdOf(id) }));
const ofMakerB = fc.record({
  manufacturer: fc.constant('maker_b' as const),
  hardwareId,
  id: fc.stringMatching(/^id_[0-9A-Z]{9}$/),
});
const sensors = fc.tuple(common, fc.oneof(ofMakerA, ofMakerB)).map(([rest, maker]) => ({ ...rest, ...maker }));

test('packing and unpacking preserve everything shown in sensor lists', () => {
  fc.assert(
    fc.property(sensors, (sensor) => {
      const record: SensorRecord = { ...sensor, groupId: 7 };
      expect(unpackSensor(packSensor(record), sensor.id, sensor.customerId)).toEqual(sensor);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  { manufacturer: 'maker_a', name: 'Room 1042, window', row: '3 mywpiww0 mywpiww5 16  Room 1042, window' },
  { manufacturer: 'maker_b', name: '  two  spaces ', row: '7 mywpiww0 mywpiww5 16 02005E100001   two  spaces ' },
] as const)('a packed sensor stays compatible with earlier versions: $row', ({ row, ...fields }) => {
  const dates = { createDate: 1_800_000_000_000, updateDate: 1_800_000_000_005 };
  const more = { customerId: 1, isActive: true, firmwareVersion: 42, optimizationEnabled: true };
  const sensor = { ...fields, ...dates, ...more, id: deviceIdOf('02005E100001'), hardwareId: '02005E100001' };
  expect(packSensor({ ...sensor, groupId: 0 })).toBe(row);
  expect(unpackSensor(row, sensor.id, 1)).toMatchObject(sensor);
});

test('a packed sensor with the longest possible name fits in a 1,024-byte sort key', () => {
  const longest = '\u{1F6CF}'.repeat(64);
  expect(text(3, 64).safeParse(longest).success).toBe(true);
  const dates = { createDate: 2 ** 53 - 1, updateDate: 2 ** 53 - 1 };
  const more = { customerId: 1, isActive: true, firmwareVersion: 2 ** 31 - 1, optimizationEnabled: true, groupId: 1 };
  const id = { id: 'id_ZZZZZZZZZ', hardwareId: 'FFFFFFFFFFFF', manufacturer: 'maker_b' as const };
  expect(Buffer.byteLength(packSensor({ ...id, ...dates, ...more, name: longest }))).toBeLessThan(400);
});

test('a packed sensor with a typical name takes less than 50 bytes', () => {
  const now = 1_800_000_000_000;
  const more = { customerId: 1, isActive: true, firmwareVersion: 42, optimizationEnabled: true, groupId: 0 };
  const id = { id: deviceIdOf('02005E100001'), hardwareId: '02005E100001', manufacturer: 'maker_a' as const };
  const row = packSensor({ ...id, ...more, createDate: now, updateDate: now, name: 'Room 1042, window' });
  expect(Buffer.byteLength(row)).toBeLessThan(50);
});

test('a packed sensor includes every reason why falls may not be reported', () => {
  const dates = { createDate: 1, updateDate: 2 };
  const more = { customerId: 1, isActive: false, firmwareVersion: 42, optimizationEnabled: false, groupId: 0 };
  const id = { id: deviceIdOf('02005E100001'), hardwareId: '02005E100001', manufacturer: 'maker_a' as const };
  const sensor = { ...id, ...dates, ...more, name: 'Room' };
  for (let bits = 0; bits < 16; bits++) {
    const obstacles = {
      ...((bits & 1) !== 0 && { isSilent: true }),
      ...((bits & 2) !== 0 && { isFallDetectionOff: true }),
      ...((bits & 4) !== 0 && { isMisunderstood: true }),
      ...((bits & 8) !== 0 && { marksSilent: true }),
    };
    const row = packSensor({ ...sensor, ...obstacles });
    expect(row).toBe(`0 1 2 16  Room${bits === 0 ? '' : `\u001f${bits.toString(36)}`}`);
    const { groupId: _, ...shown } = sensor;
    expect(unpackSensor(row, sensor.id, 1)).toEqual({ ...shown, ...obstacles });
  }
});

test('unpackSensor rejects an unknown maker', () => {
  expect(() => unpackSensor('8 1 2 16  Room', 'id', 1)).toThrow('a row has an unknown manufacturer');
});
