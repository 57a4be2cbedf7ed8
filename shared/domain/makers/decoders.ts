import { isTrustedTime } from '../event/event.ts';
import type { DecodedMessage, TrustedMessage } from '../event/message.ts';
import type { Manufacturer } from '../sensor/sensor.ts';
import { decodeMakerA } from './maker-a/decode.ts';
import { decodeMakerB } from './maker-b/decode.ts';

/** Decodes a message. Never throws: an unreadable message is `unknown`. */
export type Decode = (message: unknown) => DecodedMessage;

/** The message decoders by maker. Separate from `makers`, because only functions that process messages load them. */
export const decoders: Readonly<Record<Manufacturer, Decode>> = { maker_a: decodeMakerA, maker_b: decodeMakerB };

/** Removes untrusted times from a message, and the identity derived from them. */
export const withTrustedTimes = (decoded: DecodedMessage, received: number): TrustedMessage => {
  const trusted = (time: number | null) => (time !== null && isTrustedTime(time, received) ? time : null);
  const { signal: reported, deviceTime: time, uuid: own } = decoded;
  const deviceTime = trusted(time);
  const signal = reported.kind === 'fall' ? { ...reported, start: trusted(reported.start) } : reported;
  const isClockWrong = deviceTime !== time || (reported.kind === 'fall' && trusted(reported.start) !== reported.start);
  const identity = (signal.kind === 'fall' ? signal.start : deviceTime) === null ? null : decoded.identity;
  return { ...decoded, signal, deviceTime, identity, byBytes: own === null && identity === null, isClockWrong };
};

/** Decodes the JSON text of a message received at `received` (ms), and removes untrusted times. */
export const decodeText = (manufacturer: Manufacturer, json: string, received: number): TrustedMessage =>
  withTrustedTimes(decoders[manufacturer](JSON.parse(json)), received);
