import type { Device } from './sensor.ts';

/** Whether the token of a device is valid at `now` (ms). A token that was replaced stays valid for a while. */
export const isTokenValid = ({ replacedUntil }: Pick<Device, 'replacedUntil'>, now: number): boolean =>
  replacedUntil === undefined || replacedUntil > now;
