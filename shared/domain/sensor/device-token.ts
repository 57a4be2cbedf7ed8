import type { Device } from './sensor.ts';

/** Whether a device token is valid at `now` (ms). A replaced token stays valid for a while. */
export const isTokenValid = ({ replacedUntil }: Pick<Device, 'replacedUntil'>, now: number): boolean =>
  replacedUntil === undefined || replacedUntil > now;
