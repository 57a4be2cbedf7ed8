import type { Snapshot } from '../delivery/delivery.ts';
import { kinds, type Situation } from '../kinds.ts';
import { Format, type PayloadFormat } from './format.ts';

/** The JSON media type. */
export const JSON_TYPE = 'application/json';
const forSystems = {
  mediaType: JSON_TYPE,
  isForBots: false,
  isForPeople: false,
  needsCode: false,
  isOncePerMessage: false,
} as const;
const forPeople = {
  mediaType: JSON_TYPE,
  isForBots: true,
  isForPeople: true,
  needsCode: false,
  isOncePerMessage: false,
  message: 'left_out' as const,
};

/** The webhook formats. The renderers are separate (render.ts), because few functions need them. */
export const formats: Readonly<Record<Format, PayloadFormat>> = {
  full: { ...forSystems, summary: 'An event in the Full format', message: 'optional' },
  custom1: {
    ...forSystems,
    summary: 'An event in the Custom 1 format; for bots',
    isForBots: true,
    needsCode: true,
    message: 'left_out',
  },
  raw: {
    ...forSystems,
    summary: 'A device message, exactly as sent',
    message: 'required',
    isOncePerMessage: true,
  },
  chat: {
    ...forPeople,
    summary: 'An alarm for Slack, Mattermost and Rocket.Chat incoming webhooks; for bots',
  },
  teams: { ...forPeople, summary: 'An alarm as an Adaptive Card, for Microsoft Teams workflow webhooks; for bots' },
};

/** Situations the service detects by itself, with or without a device message. */
const noticedByService: readonly Situation[] = ['sensor_inactive', 'sensor_active', 'sensor_clock_wrong'];

/**
 * Whether a format can express a situation. Raw needs a message. Without one, it would send nothing, and no one would
 * notice.
 */
export const canExpressSituation = (format: Format, situation: Situation): boolean =>
  (!formats[format].needsCode || kinds[situation].code !== null) &&
  (formats[format].message !== 'required' || !noticedByService.includes(situation));

/** Returns the formats that cannot express a situation. */
export const formatsWithout = (situation: Situation): Format[] =>
  Format.options.filter((option) => !canExpressSituation(option, situation));

/**
 * Whether a format can express an event with this code and raw message, either of which is null if the event has none.
 */
export const canExpressEvent = (format: Format, code: number | null, rawMessage: string | null): boolean =>
  (!formats[format].needsCode || code !== null) && (formats[format].message !== 'required' || rawMessage !== null);

/** Returns the UUID of the message whose bytes a payload contains; null if there is none. */
export const messageUuidIn = (format: Format, { event }: Snapshot): string | null =>
  formats[format].message === 'left_out' ? null : event.source;
