import { mountings, regionCounts } from '#shared/domain/sensor/room-limits.ts';
import { deviceIdOf } from '#shared/domain/sensor/sensor.ts';
import type { Maker } from '../maker.ts';

export const makerA: Maker = {
  // A MAC address, with or without colons, in any case.
  hardwareId: /^[0-9a-f]{2}(:?)(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i,
  sensorIdOf: deviceIdOf,
  isIdOfHardware: true,
  mountings: mountings.maker_a,
  regions: regionCounts.maker_a,
  hasLearningMode: true,
  acceptsFeedback: true,
};
