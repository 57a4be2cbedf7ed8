import type { Sensor } from '#openapi';
import { useAlarms } from '../overview/alarms-provider.tsx';
import type { Row } from '../overview/board.ts';
import { coverageOf } from '../overview/coverage.ts';

/** The look of a room: that of its most urgent alarm, hatched if an alarm would go unnoticed, or plain. */
export type RoomLook =
  | { kind: Exclude<Row['kind'], 'offline'>; row: Row }
  | { kind: 'offline' | 'unwatched' | 'plain' };

/** Returns a function for the look of a room. The rows of alarms are sorted by urgency. */
export const useRoomLook = () => {
  const alarms = useAlarms();
  const unwatched = alarms?.watch ? coverageOf(alarms.watch).rooms : [];
  return (sensorId: string, sensor: Pick<Sensor, 'isActive'> | undefined): RoomLook => {
    const row = alarms?.rows.find((candidate) => candidate.sensorId === sensorId);
    if (row && row.kind !== 'offline') return { kind: row.kind, row };
    if (row || sensor?.isActive === false) return { kind: 'offline' };
    return { kind: unwatched.some((room) => room.sensorId === sensorId) ? 'unwatched' : 'plain' };
  };
};
