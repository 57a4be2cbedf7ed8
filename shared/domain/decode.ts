import { decodeMakerA } from './maker-a.ts';
import { decodeMakerB } from './maker-b.ts';
import type { Decoded } from './message.ts';
import type { Manufacturer } from './sensor.ts';

/** Decodes a message by its maker's language. Never fails: what nobody understands is `unknown`. */
export const decode = (manufacturer: Manufacturer, message: unknown): Decoded =>
  manufacturer === 'maker_a' ? decodeMakerA(message) : decodeMakerB(message);
