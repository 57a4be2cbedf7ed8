import type { Clock } from '../clock.ts';
import { apiClient } from './client.ts';
import type { DemoSensor } from './seed.ts';

type Say = (line: string) => void;

const presence = (present: boolean, timestamp: number) => ({
  type: 4,
  payload: {
    presenceDetected: present,
    trackerTargets: present ? [{ xPosCm: 30, yPosCm: 150, zPosCm: 90 }] : [],
    timestamp,
  },
});
const fall = (status: string, start: number, timestamp: number) => ({
  type: 5,
  payload: {
    status,
    timestamp: start,
    statusUpdateTimestamp: timestamp,
    fallLocX_cm: 60,
    fallLocY_cm: 120,
    fallLocZ_cm: 10,
  },
});

/** What each sensor reports in turn, one line a step: people come and go, and now and then somebody falls. */
const scenes = (start: number, now: number) => [
  presence(true, now),
  presence(false, now),
  presence(true, now),
  fall('fall_detected', start, now),
  fall('fall_confirmed', start, now),
  fall('calling', start, now),
  fall('finished', start, now),
  presence(false, now),
];

/** Moves the sensors of the demo, one of them every `everyMs`, over the same HTTP that devices use. Gives what stops it. */
export const simulate = (
  base: string,
  sensors: readonly DemoSensor[],
  clock: Clock,
  everyMs: number,
  say: Say,
): (() => void) => {
  let step = 0;
  const starts = sensors.map(() => 0);
  const move = async (): Promise<void> => {
    const [which, scene] = [step % sensors.length, Math.floor(step / sensors.length) % 8];
    step += 1;
    const sensor = sensors[which];
    if (!sensor) return;
    if (scene === 3) starts[which] = clock.now();
    const message = scenes(starts[which] ?? 0, clock.now())[scene];
    await apiClient(base, sensor.deviceToken).post(`/devices/${sensor.sensorId}/messages`, message);
  };
  const next = (): void => {
    cancel = clock.after(everyMs, next);
    move().catch((error: unknown) => say(`simulator: ${error instanceof Error ? error.message : error}`));
  };
  let cancel = clock.after(everyMs, next);
  return () => cancel();
};
