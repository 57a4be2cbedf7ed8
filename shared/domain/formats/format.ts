import * as z from 'zod';

export const Format = z.enum(['full', 'custom1', 'raw', 'chat', 'teams']);
export type Format = z.infer<typeof Format>;

/** Defines what a format can express, and who can use it. The renderers are in render.ts. */
export type PayloadFormat = {
  /** The summary for deliveries in the OpenAPI document. */
  summary: string;
  /** The payload media type. Payloads are UTF-8 text. */
  mediaType: string;
  /** Only bot webhooks may use this format. */
  isForBots: boolean;
  /** People read the payload itself: it is written in the bot's language, with the time in the rule's time zone. */
  isForPeople: boolean;
  /** The payload needs an event code, so the format cannot express events without one. */
  needsCode: boolean;
  /**
   * Whether the payload contains the device message. `required`: always, so the format cannot express other events;
   * `optional`: if there is one; `left_out`: never.
   */
  message: 'required' | 'optional' | 'left_out';
  /** A message is sent only once, even if it causes several events and fires several rules. */
  isOncePerMessage: boolean;
};
