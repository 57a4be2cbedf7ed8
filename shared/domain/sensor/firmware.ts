import * as z from 'zod';
import { int32, millis, text } from '../values.ts';
import { Manufacturer } from './sensor.ts';

const versionCode = int32(1, 2_147_483_647);

/** The request body for creating a firmware version: D1 "Firmware" without `createDate`. */
export const NewFirmware = z
  .object({
    versionCode: versionCode.meta({ description: 'N of v0.N' }),
    versionName: text(1, 64),
    buildDate: millis,
    isDefault: z
      .boolean()
      .meta({ description: "true: becomes the manufacturer's default, replacing the previous one" }),
  })
  .meta({
    id: 'FirmwareCreation',
    examples: [{ versionCode: 42, versionName: 'v0.42', buildDate: 1_760_000_000_000, isDefault: false }],
  });

/** A firmware version (D1 "Firmware"). */
export const Firmware = NewFirmware.extend({ manufacturer: Manufacturer, createDate: millis }).meta({ id: 'Firmware' });
export type Firmware = z.infer<typeof Firmware>;

export const ByManufacturer = z.object({
  manufacturer: Manufacturer.meta({ description: 'Manufacturer whose sensors the firmware is for' }),
});
export const ByVersion = ByManufacturer.extend({
  versionCode: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .pipe(versionCode)
    .meta({ description: 'Firmware version code' }),
});
