import { describe, expect, test } from 'vitest';
import { defaultsOf } from '#shared/domain/config/field.ts';
import { deviceConfig } from '#shared/domain/makers/device-config.ts';
import {
  basicView,
  completeLearning,
  learningEndChange,
  newBasic,
  type StoredBasic,
  updateBasic,
} from '#shared/domain/makers/maker-a/basic.ts';
import {
  type BasicUpdate,
  dryContactFields,
  firmwareFields,
  telemetryFields,
} from '#shared/domain/makers/maker-a/config.ts';
import {
  detectsFalls,
  fallFields,
  newBasic as newBasicOfMakerB,
  vitalFields,
  withPosture,
} from '#shared/domain/makers/maker-b/config.ts';
import { ratesIn } from '#shared/domain/makers/maker-b/rates.ts';
import { hardwareIdOf, makers } from '#shared/domain/makers/makers.ts';
import { defaultRoom, firstRoom } from '#shared/domain/sensor/room-geometry.ts';
import { newSensor } from '#shared/domain/sensor/sensor.ts';

const DAY = 86_400_000;
const now = 1_800_000_000_000;
const off: BasicUpdate = {
  name: 'n',
  volume: 7,
  ledMode: 2,
  learningModeEnabled: false,
  testModeEnabled: false,
  fallingMitigatorEnabled: true,
  optimizationEnabled: true,
};
const stored = (more: Partial<StoredBasic> = {}): StoredBasic => ({ ...newBasic, ...more });

test('maker A modes are initially off, and changing one keeps the other settings', () => {
  expect(newBasic).toEqual({ volume: 0, ledMode: 0, fallingMitigatorEnabled: false, learningUntil: 0, testUntil: 0 });
  expect(updateBasic(newBasic, off, now)).toEqual({
    volume: 7,
    ledMode: 2,
    fallingMitigatorEnabled: true,
    learningUntil: 0,
    testUntil: 0,
  });
});

test('learning mode lasts 14 days and test mode one day, even if enabled again', () => {
  const learning = updateBasic(newBasic, { ...off, learningModeEnabled: true }, now);
  expect([learning.learningUntil, learning.testUntil]).toEqual([now + 14 * DAY, 0]);
  const again = updateBasic(learning, { ...off, learningModeEnabled: true }, now + DAY);
  expect(again.learningUntil).toBe(now + 14 * DAY);
  expect(updateBasic(learning, { ...off, learningModeEnabled: true }, now + 14 * DAY).learningUntil).toBe(
    now + 28 * DAY,
  );
  expect(updateBasic(learning, off, now + 1).learningUntil).toBe(0);
  expect(updateBasic(newBasic, { ...off, testModeEnabled: true }, now).testUntil).toBe(now + DAY);
});

test('test mode ends no later than the learning phase', () => {
  const both = { ...off, learningModeEnabled: true, testModeEnabled: true };
  expect(updateBasic(stored({ learningUntil: now + 5 }), both, now).testUntil).toBe(now + 5);
  expect(updateBasic(newBasic, both, now).testUntil).toBe(now + DAY);
  const ended = updateBasic(stored({ learningUntil: now, testUntil: now + 9 }), { ...off, testModeEnabled: true }, now);
  expect(ended).toMatchObject({ learningUntil: 0, testUntil: now + 9 });
});

test('a learning phase ends when the device reports its end', () => {
  const learning = stored({ learningUntil: now + 14 * DAY, testUntil: now + 9, volume: 3 });
  const learned = { ...learning, learningUntil: 0, testUntil: 0 };
  expect(completeLearning(learning, now)).toEqual(learned);
  expect(completeLearning(learning, now + 14 * DAY - 1)).toEqual(learned);
  expect(completeLearning(learning, now - 1)).toBeNull();
  expect(completeLearning(learning, now + 14 * DAY)).toBeNull();
});

test('changing a mode schedules or cancels its end time', () => {
  const change = (before: number, after: number) =>
    learningEndChange(stored({ learningUntil: before }), stored({ learningUntil: after }), now);
  expect(change(0, now + 9)).toEqual({ started: now + 9, canceled: null });
  expect(change(now + 9, 0)).toEqual({ started: null, canceled: now + 9 });
  expect(change(now + 9, now + 9)).toEqual({ started: null, canceled: null });
  expect(change(now + 5, now + 9)).toEqual({ started: now + 9, canceled: now + 5 });
  expect(change(now, 0)).toEqual({ started: null, canceled: null });
  expect(change(0, now)).toEqual({ started: null, canceled: null });
});

test('a mode appears enabled until it ends', () => {
  const view = (until: number) =>
    basicView(
      stored({ learningUntil: until, testUntil: until, volume: 3, ledMode: 1 }),
      { name: 'n', optimizationEnabled: false },
      now,
    );
  const shown = { name: 'n', volume: 3, ledMode: 1, fallingMitigatorEnabled: false, optimizationEnabled: false };
  expect(view(now + 1)).toEqual({
    ...shown,
    learningModeEnabled: true,
    learningModeEndDate: now + 1,
    testModeEnabled: true,
  });
  expect(view(now)).toEqual({
    ...shown,
    learningModeEnabled: false,
    learningModeEndDate: null,
    testModeEnabled: false,
  });
});

describe('device configuration', () => {
  const sensor = (manufacturer: 'maker_a' | 'maker_b', firmwareVersion = 42) =>
    newSensor({ id: 'id_1', hardwareId: '02005E100001', manufacturer, firmwareVersion }, 1);
  const configOf = (of: ReturnType<typeof sensor>, more: object = {}) =>
    deviceConfig(
      { sensor: of, room: firstRoom(of), stored: {}, defaultFirmware: 40, maxReportDelay: 60, ...more },
      now,
    ) as Record<string, Record<string, unknown>>;
  const { sensorMounting, xMin, xMax, yMin, yMax, sensorHeight, zMin, zMax, enterDuration, exitDuration } = defaultRoom;
  const room = { sensorMounting, rotation: 0, xMin, xMax, yMin, yMax, sensorHeight, regions: [] };

  test('a device configuration contains default values until others are stored', () => {
    const ofMakerA = configOf(sensor('maker_a'));
    expect(ofMakerA.room).toEqual({ ...room, zMin, zMax, enterDuration, exitDuration });
    expect(Object.keys(ofMakerA)).toEqual([
      'room',
      'firmwareToInstall',
      'maxReportDelay',
      'basic',
      'dryContact',
      'firmware',
      'telemetry',
      'critical',
    ]);
    expect(ofMakerA).toMatchObject({
      firmwareToInstall: 40,
      maxReportDelay: 60,
      dryContact: defaultsOf(dryContactFields),
      telemetry: defaultsOf(telemetryFields),
    });
    const ofMakerB = configOf(sensor('maker_b'));
    expect(ofMakerB).toEqual({
      room,
      firmwareToInstall: 40,
      maxReportDelay: 60,
      basic: { name: 'Sensor 0001', workingMode: 15 },
      fall: defaultsOf(fallFields),
      vitalData: defaultsOf(vitalFields),
    });
  });

  test('a device configuration omits fields that the firmware does not support', () => {
    const values = {
      basic: stored({ volume: 5, learningUntil: now + 1, testUntil: now + 1 }),
      'dry-contact': { primaryMode: 1, activationDurationSec: 9 },
      firmware: { firmwareVersion: 39 },
      telemetry: { policy: 0 },
      critical: { silentModeEnabled: true },
    };
    const config = configOf(sensor('maker_a', 30), { stored: values });
    expect(config.firmwareToInstall).toBe(39);
    expect(config.basic).toMatchObject({ name: 'Sensor 0001', volume: 5, learningModeEnabled: true });
    expect(config.basic).not.toHaveProperty('testModeEnabled');
    expect(config.dryContact).toMatchObject({ primaryMode: 1 });
    expect(config.dryContact).not.toHaveProperty('activationDurationSec');
    expect(config.firmware).toEqual({
      ...defaultsOf(firmwareFields),
      firmwareVersion: 39,
      mqttLogLevelLive: undefined,
      mqttLogLevelOnDemand: undefined,
    });
    expect(config.telemetry).toMatchObject({ policy: 0 });
    expect(config.critical).toMatchObject({ silentModeEnabled: true });
    const ofMakerB = { basic: { workingMode: 3 }, fall: { alarmTime: 9 }, 'vital-data': { heartRateLower: 50 } };
    expect(configOf(sensor('maker_b'), { stored: ofMakerB })).toMatchObject({
      basic: { name: 'Sensor 0001', workingMode: 3 },
      fall: { alarmTime: 9 },
      vitalData: { heartRateLower: 50 },
    });
  });

  test("a device installs the manufacturer's default firmware unless a version is pinned", () => {
    const pinned = (firmwareVersion: number | null, defaultFirmware: number | null) =>
      configOf(sensor('maker_a'), { stored: { firmware: { firmwareVersion } }, defaultFirmware }).firmwareToInstall;
    expect([pinned(41, 40), pinned(null, 40), pinned(null, null)]).toEqual([41, 40, null]);
  });
});

test('hardware ids are accepted in common notations', () => {
  for (const text of ['02:00:5e:10:00:01', '02005E100001', '02005e100001'])
    expect(hardwareIdOf('maker_a', text)).toBe('02005E100001');
  for (const text of [
    '02:005e:10:00:01',
    '02:00:5e:10:00:0',
    '02005E1000011',
    'x02005E100001',
    '02-00-5e-10-00-01',
    '',
  ])
    expect([text, hardwareIdOf('maker_a', text)]).toEqual([text, null]);
  expect(hardwareIdOf('maker_b', '02005E100001')).toBe('02005E100001');
  for (const text of ['02005e100001', '02:00:5E:10:00:01', '02005E10000', '02005E1000012', ''])
    expect([text, hardwareIdOf('maker_b', text)]).toEqual([text, null]);
});

test('sensor ids are derived from hardware ids or random, depending on the maker', () => {
  const random = Uint8Array.of(0, 1, 9, 10, 35, 36, 71, 255, 7, 8);
  expect(makers.maker_a.sensorIdOf('02005E100001', random)).toBe('id_MDI6MDA6NUU6MTA6MDA6MDE');
  expect(makers.maker_b.sensorIdOf('02005E100001', random)).toBe('id_019AZ0Z37');
  expect(
    [makers.maker_a, makers.maker_b].map((maker) => [
      maker.isIdOfHardware,
      maker.hasLearningMode,
      maker.acceptsFeedback,
    ]),
  ).toEqual([
    [true, true, true],
    [false, false, false],
  ]);
});

test('a maker B sensor detects falls only if its working mode has the fall detection bit', () => {
  expect([3, 7, 11, 15].filter(detectsFalls)).toEqual([7, 15]);
  expect(newBasicOfMakerB).toEqual({ workingMode: 15 });
  const none = { ...defaultsOf(fallFields), postureDetectionEnabled: false };
  const posture = (more: Partial<typeof none>) => withPosture({ ...none, ...more }).postureDetectionEnabled;
  expect([
    posture({}),
    posture({ sittingAlarmEnabled: true }),
    posture({ sittingUpAlarmEnabled: true }),
    posture({ postureDetectionEnabled: true }),
  ]).toEqual([false, true, true, true]);
  expect(withPosture({ ...none, alarmTime: 9 }).alarmTime).toBe(9);
});

test('a rate of 0 in a vital signs report counts as not measured', () => {
  const rates = (data: unknown, cmd = 'stat') => ratesIn({ cmd, data });
  expect(rates({ respirationRate: 14, heartRate: 62 })).toEqual({ respiration: 14, heartRate: 62 });
  expect(rates({ respirationRate: 0, heartRate: 0 })).toEqual({ respiration: null, heartRate: null });
  expect(rates({ heartRate: 62, respirationRate: 'x' })).toEqual({ heartRate: 62 });
  expect(rates({ respirationRate: 14 })).toEqual({ respiration: 14 });
  expect([rates({ alarmType: 13 }), rates(null), rates({ heartRate: 62 }, 'event'), ratesIn(null), ratesIn(7)]).toEqual(
    [null, null, null, null, null],
  );
});
