import type { Basic, BasicUpdate } from './config.ts';

const DAY = 86_400_000;
const LEARNING_MS = 14 * DAY;
const TEST_MODE_MS = DAY;

/**
 * The configuration as stored. For modes, the end time (ms) is stored, so that they end without a write. `name` and
 * `optimizationEnabled` are stored in the sensor.
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

/**
 * Returns when a mode ends (ms; 0 if it is off). Enabling starts it, enabling it again does not extend it, and
 * disabling ends it.
 */
const endOfMode = (isEnabled: boolean, before: number, now: number, duration: number): number => {
  if (!isEnabled) return 0;
  return before > now ? before : now + duration;
};

/** Applies an update at `now` (ms). The test mode ends no later than a running learning phase. */
export const updateBasic = (before: StoredBasic, body: BasicUpdate, now: number): StoredBasic => {
  const learningUntil = endOfMode(body.learningModeEnabled, before.learningUntil, now, LEARNING_MS);
  const testUntil = endOfMode(body.testModeEnabled, before.testUntil, now, TEST_MODE_MS);
  return {
    volume: body.volume,
    ledMode: body.ledMode,
    fallingMitigatorEnabled: body.fallingMitigatorEnabled,
    learningUntil,
    testUntil: learningUntil > now ? Math.min(testUntil, learningUntil) : testUntil,
  };
};

/**
 * Ends the learning phase, because the device reported at `time` (ms) that it has finished learning. Null if the report
 * refers to an earlier phase.
 */
export const completeLearning = (stored: StoredBasic, time: number): StoredBasic | null =>
  stored.learningUntil > time && stored.learningUntil - LEARNING_MS <= time
    ? { ...stored, learningUntil: 0, testUntil: 0 }
    : null;

/**
 * Returns how a change at `now` (ms) affects the end (ms) of the learning phase: `started` is the new end, `canceled`
 * the previous end, which no longer applies. Each is null if there is none.
 */
export const learningEndChange = (before: StoredBasic, { learningUntil }: StoredBasic, now: number) => ({
  started: learningUntil > now && learningUntil !== before.learningUntil ? learningUntil : null,
  canceled: before.learningUntil > now && learningUntil !== before.learningUntil ? before.learningUntil : null,
});

/** Returns the configuration as read at `now` (ms). */
export const basicView = (
  stored: StoredBasic,
  { name, optimizationEnabled }: { name: string; optimizationEnabled: boolean },
  now: number,
): Basic => ({
  name,
  volume: stored.volume,
  ledMode: stored.ledMode,
  learningModeEnabled: stored.learningUntil > now,
  learningModeEndDate: stored.learningUntil > now ? stored.learningUntil : null,
  testModeEnabled: stored.testUntil > now,
  fallingMitigatorEnabled: stored.fallingMitigatorEnabled,
  optimizationEnabled,
});
