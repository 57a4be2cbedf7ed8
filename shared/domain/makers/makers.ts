import type { Manufacturer } from '../sensor/sensor.ts';
import type { Maker } from './maker.ts';
import { makerA } from './maker-a/maker-a.ts';
import { makerB } from './maker-b/maker-b.ts';

/** The supported sensor makers. */
export const makers: Readonly<Record<Manufacturer, Maker>> = { maker_a: makerA, maker_b: makerB };

/** Returns a hardware id as 12 uppercase hex digits; null if the text is not one of this maker's hardware ids. */
export const hardwareIdOf = (manufacturer: Manufacturer, text: string): string | null =>
  makers[manufacturer].hardwareId.test(text) ? text.replaceAll(':', '').toUpperCase() : null;
