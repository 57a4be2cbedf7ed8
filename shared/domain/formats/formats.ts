import type { Snapshot } from '../delivery.ts';
import { kinds, type Situation } from '../event.ts';
import { custom1 } from './custom-1.ts';
import { type Around, Format, type PayloadFormat } from './format.ts';
import { full } from './full.ts';
import { raw } from './raw.ts';

/** The formats that a webhook can have. */
export const formats: Readonly<Record<Format, PayloadFormat>> = { full, custom1, raw };

/** Can a webhook of that format tell of that situation? */
export const canTell = (format: Format, situation: Situation): boolean =>
  !formats[format].needsCode || kinds[situation].code !== null;

/** Formats that cannot tell of a situation. */
export const muteFor = (situation: Situation): Format[] => Format.options.filter((one) => !canTell(one, situation));

/** Can a format tell of an event? `source` is the message that caused it; the service itself caused what has none. */
export const takes = (format: Format, { code, source }: { code: number | null; source: string | null }): boolean =>
  (!formats[format].needsCode || code !== null) && (formats[format].message !== 'required' || source !== null);

/** The message (its UUID) whose bytes a payload tells; null: none. */
export const messageIn = (format: Format, { event }: Snapshot): string | null =>
  formats[format].message === 'left_out' ? null : event.source;

/** The body of a delivery. Throws when the message that it tells of is missing: it is not told as if it had none. */
export const render = (format: Format, snapshot: Snapshot, around: Around): string => {
  const isMissing = around.raw === null && messageIn(format, snapshot) !== null && !around.isTest;
  if (isMissing) throw new Error('the message of a delivery is missing');
  return formats[format].render(snapshot, around, around.raw ?? '{}');
};
