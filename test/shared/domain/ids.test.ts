import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  derivedUlid,
  firstIdAt,
  firstUlidAt,
  hashOf,
  ID_EPOCH,
  orderedIds,
  randomUlid,
  randomUuid,
  timeOfId,
  timeOfUlid,
  timeOrderedId,
  uuidV4Bytes,
  uuidV5,
  zBase32,
} from '#shared/domain/ids.ts';
import { hardwareIdOf, makers } from '#shared/domain/makers/makers.ts';
import { pairingCode } from '#shared/domain/sensor/pairing.ts';
import { deviceIdOf } from '#shared/domain/sensor/sensor.ts';

const LAST = ID_EPOCH + 2 ** 41 - 1;
const time = fc.integer({ min: ID_EPOCH, max: LAST });
const chance = fc.integer({ min: 0, max: 65_535 });

describe('time-ordered ids', () => {
  test('a time-ordered id is a safe integer up to the last possible millisecond', () => {
    expect(Number.isSafeInteger(timeOrderedId(LAST, 4_095))).toBe(true);
    expect(timeOrderedId(LAST, 4_095)).toBe(2 ** 53 - 1);
    expect(timeOrderedId(0, 0)).toBe(0);
  });
  test("a time-ordered id lies within its millisecond's id range, and sorts by time", () => {
    const lies = fc.property(time, chance, (at, random) => {
      const id = timeOrderedId(at, random);
      return firstIdAt(at) <= id && id < firstIdAt(at + 1);
    });
    fc.assert(lies);
    const sorts = fc.property(
      time,
      chance,
      time,
      chance,
      (a, x, b, y) => a >= b || timeOrderedId(a, x) < timeOrderedId(b, y),
    );
    fc.assert(sorts);
  });
  test('a time-ordered id never sorts before the first id for its time', () => {
    fc.assert(fc.property(time, chance, (at, random) => timeOrderedId(at, random) >= firstIdAt(at)));
  });
});

test('a ULID contains its time, and sorts after the first ULID of that millisecond', () => {
  const times = fc.property(fc.integer({ min: 0, max: 2 ** 48 - 2 }), (at) => {
    const ids = [derivedUlid(at, 'a'), randomUlid(at, randomBytes)];
    return ids.every((id) => timeOfUlid(id) === at && firstUlidAt(at) <= id && id < firstUlidAt(at + 1));
  });
  fc.assert(times);
  expect(derivedUlid(ID_EPOCH, 'a')).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  expect([firstUlidAt(-1), firstUlidAt(2 ** 60)]).toEqual([firstUlidAt(0), firstUlidAt(2 ** 48)]);
});

test('a time-ordered id contains its time', () => {
  fc.assert(fc.property(time, chance, (at, random) => timeOfId(timeOrderedId(at, random)) === at));
});

test('a hash is short, and depends on the whole text', () => {
  expect(hashOf('a')).toMatch(/^[\w-]{16}$/);
  expect(new Set([hashOf('a'), hashOf('b'), hashOf('aa')]).size).toBe(3);
});

test('orderedIds continues after the last id of the same millisecond', () => {
  let chance = 4_000;
  const generate = (at: number) => timeOrderedId(at, --chance);
  const next = orderedIds(generate, { id: timeOrderedId(ID_EPOCH, 4_000), createDate: ID_EPOCH });
  const ids = [ID_EPOCH, ID_EPOCH, ID_EPOCH + 5, ID_EPOCH + 5, ID_EPOCH + 5].map(next);
  expect(ids[1]).toBe(Number(ids[0]) + 1);
  expect(orderedIds(generate)(ID_EPOCH)).toBe(timeOrderedId(ID_EPOCH, chance));
  expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? 0))).toBe(true);
  expect(ids[0]).toBeGreaterThan(timeOrderedId(ID_EPOCH, 4_000));
});

describe('derived ids', () => {
  test('a derived id depends on all parts', () => {
    expect(uuidV5('a', 1)).toBe(uuidV5('a', 1));
    expect(uuidV5('a', 1)).not.toBe(uuidV5('a', '1'));
    expect(uuidV5('ab', 'c')).not.toBe(uuidV5('a', 'bc'));
    expect(derivedUlid(5, 'a')).toBe(derivedUlid(5, 'a'));
    expect(derivedUlid(5, 'a')).not.toBe(derivedUlid(5, 'b'));
  });
  test('derived ids have valid UUID and ULID formats', () => {
    expect(uuidV5('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(randomUuid(randomBytes)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(derivedUlid(1_735_689_600_000, 'a')).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  });
  test('derived ULIDs sort by time', () => {
    fc.assert(fc.property(time, time, (a, b) => a >= b || derivedUlid(a, 'x') < derivedUlid(b, 'x')));
  });
});

describe('zBase32', () => {
  test('zBase32 encodes 16 bytes as 26 characters without padding', () => {
    expect(zBase32(new Uint8Array(16))).toBe('y'.repeat(26));
    expect(zBase32(new Uint8Array(16).fill(255))).toBe(`${'9'.repeat(25)}h`);
    expect(zBase32(Buffer.from('hello'))).toBe('pb1sa5dx');
  });
});

test('uuidV4Bytes sets the version and variant', () => {
  const bytes = uuidV4Bytes(new Uint8Array(16).fill(255));
  expect([(bytes[6] ?? 0) >> 4, (bytes[8] ?? 0) >> 6]).toEqual([4, 2]);
});

describe('sensor ids', () => {
  test('sensorIdOf encodes the MAC address for maker A, in any notation', () => {
    for (const written of ['0123456789AB', '0123456789ab', '01:23:45:67:89:aB'])
      expect(hardwareIdOf('maker_a', written)).toBe('0123456789AB');
    expect(makers.maker_a.sensorIdOf('0123456789AB', randomBytes(9))).toBe('id_MDE6MjM6NDU6Njc6ODk6QUI');
    expect(deviceIdOf('FFFFFFFFFFFF')).toHaveLength(26);
  });
  test('a maker B sensor id is id_ plus nine characters', () => {
    expect(makers.maker_b.sensorIdOf('0123456789AB', randomBytes(9))).toMatch(/^id_[0-9A-Z]{9}$/);
  });
  test.each([
    '',
    '0123456789A',
    '0123456789ABC',
    '01:2345:6789:AB',
    '01-23-45-67-89-AB',
    '0123456789AG',
    ' 123456789AB',
  ])('a sensor id cannot be derived from %j', (written) => {
    expect(hardwareIdOf('maker_a', written)).toBeNull();
    expect(hardwareIdOf('maker_b', written)).toBeNull();
  });
});

test('pairing codes have 8 unambiguous characters, each equally likely', () => {
  expect(pairingCode(Uint8Array.of(0, 31, 32, 255, 7, 8, 9, 10))).toBe('2Z2Z9ABC');
  expect(new Set(Array.from({ length: 256 }, (_, byte) => pairingCode(new Uint8Array(8).fill(byte)))).size).toBe(32);
});
