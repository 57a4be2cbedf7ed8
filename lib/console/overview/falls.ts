import type { SensorStatus, SensorWithFalls } from '#openapi';

/** An open fall, with the sensor. */
export type OpenFall = SensorWithFalls['falls'][number] & Pick<SensorWithFalls, 'sensorId' | 'name'>;

/** Whether a fall state means that someone is on the floor. */
export const isOpen = (state: SensorStatus['fallState']): boolean => state !== null && state !== 'finished';

/** Returns the key for a fall, which stays the same while the fall is open. */
export const fallKey = ({ sensorId, since }: OpenFall): string => `${sensorId} ${since}`;

/** Returns the sensors' open falls, newest first. */
export const openFallsOf = (sensors: readonly SensorWithFalls[]): OpenFall[] =>
  sensors
    .flatMap(({ sensorId, name, falls }) => falls.map((fall) => ({ ...fall, sensorId, name })))
    .toSorted((fall, other) => other.since - fall.since);
