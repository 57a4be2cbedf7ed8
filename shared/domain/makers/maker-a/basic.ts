import type * as z from 'zod';
import { schemaOf } from '../../config/field.ts';
import { millis } from '../../values.ts';
import { basicFields } from './config.ts';

const DAY = 86_400_000;
export const LEARNING_MS = 14 * DAY;
export const TEST_MODE_MS = DAY;

/** The body of O14. */
export const BasicUpdate = schemaOf(basicFields);
export type BasicUpdate = z.output<typeof BasicUpdate>;

/** The answer of O14: `learningModeEndDate` (ms) is null while nothing is learned. */
export const Basic = BasicUpdate.extend({ learningModeEndDate: millis.nullable() }).meta({ id: 'MakerABasicConfig' });

/**
 * What is kept: the modes as the times at which they end, so that they end by themselves; name and
 * optimizationEnabled are the sensor's own.
 */
export type StoredBasic = Pick<BasicUpdate, 'volume' | 'ledMode' | 'fallingMitigatorEnabled'> & {
  learningUntil: number;
  testUntil: number;
};

export const newBasic: StoredBasic = {
  volume: 0,
  ledMode: 0,
  fallingMitigatorEnabled: false,
  learningUntil: 0,
  testUntil: 0,
};

/** The end of a mode: only switching it on starts it; keeping it on changes nothing; switching it off ends it. */
const until = (wanted: boolean, before: number, now: number, length: number): number =>
  !wanted ? 0 : before > now ? before : now + length;

/** What an update makes of it at `now` (ms). A learning phase that ends takes the test mode with it. */
export const updateBasic = (before: StoredBasic, body: BasicUpdate, now: number): StoredBasic => {
  const learningUntil = until(body.learningModeEnabled, before.learningUntil, now, LEARNING_MS);
  const testUntil = until(body.testModeEnabled, before.testUntil, now, TEST_MODE_MS);
  return {
    volume: body.volume,
    ledMode: body.ledMode,
    fallingMitigatorEnabled: body.fallingMitigatorEnabled,
    learningUntil,
    testUntil: learningUntil > now ? Math.min(testUntil, learningUntil) : testUntil,
  };
};

/** What is left of it when the device says at `time` (ms) that it has learnt; null: it said so of an earlier phase. */
export const learntBasic = (stored: StoredBasic, time: number): StoredBasic | null =>
  stored.learningUntil > time && stored.learningUntil - LEARNING_MS <= time
    ? { ...stored, learningUntil: 0, testUntil: 0 }
    : null;

/** What is read of it at `now` (ms). */
export const viewBasic = (
  stored: StoredBasic,
  { name, optimizationEnabled }: { name: string; optimizationEnabled: boolean },
  now: number,
): z.input<typeof Basic> => ({
  name,
  volume: stored.volume,
  ledMode: stored.ledMode,
  learningModeEnabled: stored.learningUntil > now,
  learningModeEndDate: stored.learningUntil > now ? stored.learningUntil : null,
  testModeEnabled: stored.testUntil > now,
  fallingMitigatorEnabled: stored.fallingMitigatorEnabled,
  optimizationEnabled,
});
