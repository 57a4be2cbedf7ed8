import type { Snapshot } from '../delivery.ts';
import { kinds, type Situation } from '../kinds.ts';
import { custom1 } from './custom-1.ts';
import { Format, type PayloadContext, type PayloadFormat } from './format.ts';
import { full } from './full.ts';
import { raw } from './raw.ts';

/** The formats that a webhook can have. */
export const formats: Readonly<Record<Format, PayloadFormat>> = { full, custom1, raw };

/** Can webhooks of this format express this situation? */
export const canTell = (format: Format, situation: Situation): boolean =>
  !formats[format].needsCode || kinds[situation].code !== null;

/** Gives the formats that cannot express a situation. */
export const muteFor = (situation: Situation): Format[] => Format.options.filter((one) => !canTell(one, situation));

/**
 * Can a format express an event? `source` is the message that caused the event; it is null if the service made the
 * event.
 */
export const takes = (format: Format, { code, source }: { code: number | null; source: string | null }): boolean =>
  (!formats[format].needsCode || code !== null) && (formats[format].message !== 'required' || source !== null);

/** Gives the UUID of the message whose bytes a payload contains, or null if it contains none. */
export const messageIn = (format: Format, { event }: Snapshot): string | null =>
  formats[format].message === 'left_out' ? null : event.source;

/**
 * Makes the body of a delivery. It throws if the message of the event is missing, so that no receiver gets the event
 * without its message.
 */
export const render = (format: Format, snapshot: Snapshot, around: PayloadContext): string => {
  const isMissing = around.raw === null && messageIn(format, snapshot) !== null && !around.isTest;
  if (isMissing) throw new Error('the message of a delivery is missing');
  return formats[format].render(snapshot, around, around.raw ?? '{}');
};
