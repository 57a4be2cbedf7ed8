import { mountings, regionCounts } from '#shared/domain/sensor/room-limits.ts';
import type { Maker } from '../maker.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const makerB: Maker = {
  hardwareId: /^[0-9A-F]{12}$/,
  sensorIdOf: (_hardwareId, random) =>
    `id_${[...random.subarray(0, 9)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`,
  isIdOfHardware: false,
  mountings: mountings.maker_b,
  regions: regionCounts.maker_b,
  hasLearningMode: false,
  acceptsFeedback: false,
};
