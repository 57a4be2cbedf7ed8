import type { WatchGap as Gap, Watch } from '#openapi';

const notAboutFalls: readonly Gap['kind'][] = ['no_rule_for_silence', 'unnotified', 'loopback_target'];

/** A room in which a fall reaches no one, and why. */
type UnwatchedRoom = { sensorId: string; name: string; kind: Gap['kind'] };

/** The number of watched rooms, the number of all rooms, and the first unwatched rooms. */
export type Coverage = { watched: number; all: number; rooms: readonly UnwatchedRoom[] };

/** Returns how many rooms are watched. A room counts as unwatched even if falls reach no one only at certain hours. */
export const coverageOf = ({ sensors: all, gaps, names, fallsTold }: Watch): Coverage => {
  const rooms = new Map<string, UnwatchedRoom>();
  let unnamed = 0;
  for (const gap of gaps) {
    if (notAboutFalls.includes(gap.kind) || !('sensorIds' in gap)) continue;
    for (const sensorId of gap.sensorIds)
      if (!rooms.has(sensorId))
        rooms.set(sensorId, { sensorId, name: names.sensors[sensorId] ?? sensorId, kind: gap.kind });
    // With many sensors, only the first ones are listed.
    unnamed = Math.max(unnamed, gap.total - gap.sensorIds.length);
  }
  const unwatched = fallsTold === 'none' ? all : Math.min(all, rooms.size + unnamed);
  return { watched: all - unwatched, all, rooms: [...rooms.values()] };
};

/** Whether a gap for falls concerns rules or people rather than a sensor, and may therefore affect every room. */
export const hasGeneralGap = ({ gaps }: Watch): boolean =>
  gaps.some((gap) => !notAboutFalls.includes(gap.kind) && !('sensorIds' in gap) && gap.kind !== 'no_sensors');
