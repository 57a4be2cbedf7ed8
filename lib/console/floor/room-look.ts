import { useAlarms } from '../overview/alarms-provider.tsx';
import type { Row } from '../overview/board.ts';
import { coverageOf } from '../overview/coverage.ts';
import type { KnownSensor } from './queries.ts';

/**
 * How a room looks. A room with alarms shows the most urgent one. A room without alarms is hatched if a fall would go
 * unnoticed; otherwise it shows whether anyone is there.
 */
export type RoomLook =
  | { kind: Exclude<Row['kind'], 'offline'>; row: Row }
  | { kind: 'offline' | 'unwatched' | 'occupied' | 'vacant' | 'plain' };

/** Returns a function that decides how a room looks. Alarm rows are sorted by urgency. */
export const useRoomLook = () => {
  const alarms = useAlarms();
  const unwatched = alarms?.watch ? coverageOf(alarms.watch).rooms : [];
  return (sensorId: string, sensor: KnownSensor | undefined): RoomLook => {
    const row = alarms?.rows.find((candidate) => candidate.sensorId === sensorId);
    if (row && row.kind !== 'offline') return { kind: row.kind, row };
    if (row || sensor?.isActive === false) return { kind: 'offline' };
    if (unwatched.some((room) => room.sensorId === sensorId)) return { kind: 'unwatched' };
    if (typeof sensor?.presence !== 'boolean') return { kind: 'plain' };
    return { kind: sensor.presence ? 'occupied' : 'vacant' };
  };
};
