import { happening, type Situation } from '../event.ts';
import type { SensorState, Step } from '../sensor-state.ts';

/** A weak signal or a tilt has no end that a device tells of: it is the same one for so long after each report, ms. */
const LASTS = 3_600_000;

export const signStep = (state: SensorState, situation: Situation, received: number): Step => {
  const before = state.signs?.[situation];
  const next = { ...state, signs: { ...state.signs, [situation]: received } };
  const isSame = before !== undefined && Math.abs(received - before) < LASTS;
  return { state: next, happened: isSame ? [] : [happening(situation)] };
};

/** Alarms of one group replace each other; those of two may last at the same time. */
const groupOf = (alarm: Situation): string =>
  alarm.startsWith('heart') ? 'heart' : alarm === 'vital_signs_weak' ? 'signal' : 'respiration';

/** An alarm of vital signs is told when it begins, and again only after all was well or another one of its group. */
export const vitalStep = (state: SensorState, alarm: Situation | null, hasReading: boolean): Step => {
  if (alarm === null) {
    const { vitals: _, ...well } = state;
    return { state: hasReading ? well : state, happened: [] };
  }
  const group = groupOf(alarm);
  if (state.vitals?.[group] === alarm) return { state, happened: [] };
  return { state: { ...state, vitals: { ...state.vitals, [group]: alarm } }, happened: [happening(alarm)] };
};
