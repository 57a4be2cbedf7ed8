import { type EventDetails, eventOf } from '../event/event.ts';
import type { SensorState, Step } from '../sensor/sensor-state.ts';

/** This many falls that raise no alarm and start within this time (ms) form a fall loop. */
const LOOP_STARTS = 3;
const LOOP_WINDOW = 300_000;

/** Forgets all fall starts, because falls before an alarm or a reported loop do not count toward the next loop. */
export const withoutLoop = ({ loop: _, ...state }: SensorState): SensorState => state;

/** Records that a fall started at `time` (ms), and reports a fall loop if there were too many starts. */
export const recordFallStart = (
  state: SensorState,
  time: number,
  { point, region, isSimulated, isSilent = false }: Pick<EventDetails, 'point' | 'region' | 'isSimulated' | 'isSilent'>,
): Step => {
  const starts = [...(state.loop ?? []), time].toSorted((a, b) => a - b);
  const recent = starts.filter((start) => start >= (starts.at(-1) ?? 0) - LOOP_WINDOW);
  if (recent.length < LOOP_STARTS) return { state: { ...state, loop: recent }, events: [] };
  return { state: withoutLoop(state), events: [eventOf('fall_loop', { point, region, isSimulated, isSilent })] };
};
