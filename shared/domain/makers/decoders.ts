import type { DecodedMessage } from '../event/message.ts';
import type { Manufacturer } from '../sensor/sensor.ts';
import { decodeMakerA } from './maker-a/decode.ts';
import { decodeMakerB } from './maker-b/decode.ts';

/** Decodes a message. Never throws: a message that cannot be understood is `unknown`. */
export type Decode = (message: unknown) => DecodedMessage;

/**
 * The decoders of messages by maker. They are separate from `makers`, because only the functions that process messages load
 * them.
 */
export const decoders: Readonly<Record<Manufacturer, Decode>> = { maker_a: decodeMakerA, maker_b: decodeMakerB };
