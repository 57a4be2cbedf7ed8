import { type Happening, happening } from '../event.ts';
import type { SensorState, Step } from '../sensor-state.ts';

/** So many falls that start within so long (ms) and end without an alarm are a loop. */
const STARTS = 3;
const WITHIN = 300_000;

/** Somebody was called: what led to it is no loop. */
export const withoutLoop = ({ loop: _, ...state }: SensorState): SensorState => state;

/** A fall started at `time` (ms); with it there may be one too many. */
export const startOfFall = (
  state: SensorState,
  time: number,
  { point, isSimulated, isSilent }: Pick<Happening, 'point' | 'isSimulated' | 'isSilent'>,
): Step => {
  const starts = [...(state.loop ?? []), time].toSorted((a, b) => a - b);
  const recent = starts.filter((one) => one >= (starts.at(-1) ?? 0) - WITHIN);
  if (recent.length < STARTS) return { state: { ...state, loop: recent }, happened: [] };
  return { state: withoutLoop(state), happened: [happening('fall_loop', { point, isSimulated, isSilent })] };
};
