import * as z from 'zod';

export const Format = z.enum(['full', 'custom1', 'raw', 'chat', 'teams']);
export type Format = z.infer<typeof Format>;

/** What a format can express, and of whom. What its payloads are made of is in `renders`. */
export type PayloadFormat = {
  /** The summary of its deliveries in the OpenAPI document. */
  summary: string;
  /** The type of its payloads, which are text in UTF-8. */
  mediaType: string;
  /** Only webhooks of bots may have this format. */
  isForBots: boolean;
  /** People read it as it is: its texts are in the language of the bot, and its time is in the time zone of the rule. */
  isForPeople: boolean;
  /** Its payload needs an event code, so it cannot express events without one. */
  needsCode: boolean;
  /**
   * Does its payload contain the message of the device? `required`: always, so it cannot express other events; `told`:
   * if there is a message; `left_out`: never.
   */
  message: 'required' | 'told' | 'left_out';
  /** A message is sent once, even if several events and rules follow from it. */
  isOncePerMessage: boolean;
};
