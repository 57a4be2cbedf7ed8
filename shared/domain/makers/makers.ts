import type { Manufacturer } from '../sensor.ts';
import type { Maker } from './maker.ts';
import { makerA } from './maker-a/maker-a.ts';
import { makerB } from './maker-b/maker-b.ts';

/** Whose sensors this service understands. */
export const makers: Readonly<Record<Manufacturer, Maker>> = { maker_a: makerA, maker_b: makerB };

/** 12 upper-case hex digits, or null when it is no hardware id of that maker. */
export const hardwareIdOf = (manufacturer: Manufacturer, text: string): string | null =>
  makers[manufacturer].hardwareId.test(text) ? text.replaceAll(':', '').toUpperCase() : null;
