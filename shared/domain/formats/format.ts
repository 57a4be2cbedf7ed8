import * as z from 'zod';

export const Format = z.enum(['full', 'custom1', 'raw', 'chat', 'teams']);
export type Format = z.infer<typeof Format>;

/** Defines what a format can express, and who can use it. The renderers are in render.ts. */
export type PayloadFormat = {
  /** The summary of its deliveries in the OpenAPI document. */
  summary: string;
  /** The media type of its payloads, which are UTF-8 text. */
  mediaType: string;
  /** Only webhooks of bots may have this format. */
  isForBots: boolean;
  /**
   * People read the payload itself: its texts are in the language of the bot, its time in the time zone of the rule.
   */
  isForPeople: boolean;
  /** Its payload needs an event code, so it cannot express events without one. */
  needsCode: boolean;
  /**
   * Whether its payload contains the message of the device. `required`: always, so it cannot express other events;
   * `optional`: if there is one; `left_out`: never.
   */
  message: 'required' | 'optional' | 'left_out';
  /** A message is sent once, even if it causes several events and fires several rules. */
  isOncePerMessage: boolean;
};
