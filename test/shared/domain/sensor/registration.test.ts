import { expect, test } from 'vitest';
import { isTokenValid } from '#shared/domain/sensor/device-token.ts';
import { ByVersion, NewFirmware } from '#shared/domain/sensor/firmware.ts';
import {
  normalizedCode,
  PAIRING_CODE_LIFETIME,
  pairingCode,
  REGISTRATION_WINDOW,
  REPORTED_REFUSALS,
  WRONG_CODES,
  withoutSpaces,
} from '#shared/domain/sensor/pairing.ts';
import { NewProvisioningKey } from '#shared/domain/sensor/provisioning-key.ts';
import { deviceIdOf, hardwareIdOfDevice, newSensor, SensorId } from '#shared/domain/sensor/sensor.ts';

test('a pairing code has 8 unambiguous characters, each equally likely', () => {
  const codes = Array.from({ length: 32 }, (_, at) => pairingCode(new Uint8Array(9).fill(at)));
  expect(codes.map((code) => code[0]).join('')).toBe('23456789ABCDEFGHJKLMNPQRSTUVWXYZ');
  expect(codes.every((code) => code === code.charAt(0).repeat(8))).toBe(true);
  expect(pairingCode(Uint8Array.of(0, 1, 2, 3, 31, 32, 254, 255, 7))).toBe('2345Z2YZ');
});

test('a pairing code can be typed in any case and with spaces', () => {
  expect(normalizedCode(withoutSpaces(' ab2d\tEF 7\n8 '))).toBe('AB2DEF78');
});

test('a pairing code is valid for 15 minutes, and wrong codes are limited over the same period', () => {
  expect([PAIRING_CODE_LIFETIME, REGISTRATION_WINDOW]).toEqual([900_000, 900_000]);
  expect(WRONG_CODES).toEqual({ limit: 5, windowSeconds: 900 });
  expect(REPORTED_REFUSALS).toEqual({ sensor: 10, customer: 100, windowSeconds: 900 });
});

test('a replaced device token stays valid for a grace period', () => {
  const valid = (replacedUntil?: number) => isTokenValid({ ...(replacedUntil !== undefined && { replacedUntil }) }, 5);
  expect([valid(), valid(6), valid(5), valid(4)]).toEqual([true, true, false, false]);
});

test('a new sensor has no customer, a name derived from the hardware id, and optimization allowed', () => {
  const device = { id: 'id_1', hardwareId: '02005E10ABCD', manufacturer: 'maker_b', firmwareVersion: 42 } as const;
  expect(newSensor(device, 7)).toEqual({
    ...device,
    createDate: 7,
    updateDate: 7,
    customerId: null,
    groupId: 0,
    name: 'Sensor ABCD',
    isActive: false,
    optimizationEnabled: true,
  });
});

test('a new sensor gets a 26-character id derived from the hardware id', () => {
  const id = deviceIdOf('02005E10ABCD');
  expect(id).toBe('id_MDI6MDA6NUU6MTA6QUI6Q0Q');
  expect([id.length, hardwareIdOfDevice(id), deviceIdOf('')]).toEqual([26, '02005E10ABCD', 'id_']);
  expect([11, 12, 26, 27].map((length) => SensorId.safeParse('x'.repeat(length)).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('a provisioning key is unlimited and never expires by default', () => {
  const key = { name: 'line 1', manufacturer: 'maker_a' };
  expect(NewProvisioningKey.parse(key)).toEqual({ ...key, expires: null, maxDevices: null });
  expect(
    [0, 1, 1_000_000, 1_000_001].map((maxDevices) => NewProvisioningKey.safeParse({ ...key, maxDevices }).success),
  ).toEqual([false, true, true, false]);
  for (const more of [{ name: '' }, { name: 'n'.repeat(65) }, { manufacturer: 'other' }, { expires: -1 }])
    expect(NewProvisioningKey.safeParse({ ...key, ...more }).success).toBe(false);
});

test('a firmware version must be a positive int32, in a path as well', () => {
  const firmware = { versionName: 'v', buildDate: 0, isDefault: false };
  const accepts = (versionCode: number) => [
    NewFirmware.safeParse({ ...firmware, versionCode }).success,
    ByVersion.safeParse({ manufacturer: 'maker_a', versionCode: String(versionCode) }).success,
  ];
  expect([0, 1, 2 ** 31 - 1, 2 ** 31].map(accepts)).toEqual([
    [false, false],
    [true, true],
    [true, true],
    [false, false],
  ]);
  expect(ByVersion.parse({ manufacturer: 'maker_a', versionCode: '42' }).versionCode).toBe(42);
  for (const versionCode of ['', '042', '4x', ' 4', '-4', '4.0', '12345678901'])
    expect(ByVersion.safeParse({ manufacturer: 'maker_a', versionCode }).success).toBe(false);
  for (const versionName of ['', 'v'.repeat(65)])
    expect(NewFirmware.safeParse({ ...firmware, versionCode: 1, versionName }).success).toBe(false);
});
