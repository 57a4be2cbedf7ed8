import type { Device } from './sensor.ts';

/** Whether the token of a device is valid at `now` (ms). One that was replaced is, for a while. */
export const isTokenValid = ({ replacedUntil }: Pick<Device, 'replacedUntil'>, now: number): boolean =>
  replacedUntil === undefined || replacedUntil > now;
