import * as z from 'zod';
import type { Service, Snapshot } from '../delivery.ts';

export const Format = z.enum(['full', 'custom1', 'raw', 'chat', 'teams']);
export type Format = z.infer<typeof Format>;

/** What a payload contains besides the snapshot: the sending service and webhook, and the message of the device. */
export type PayloadContext = {
  service: Service;
  webhook: { id: string; name: string; isCustomerHook: boolean };
  raw: string | null;
  isTest?: boolean;
  /** Null: there is no hit to acknowledge. It is missing for deliveries from before there were such addresses. */
  acknowledgeUrl?: string | null | undefined;
};

/** What a format can express, and of whom. What its payloads are made of is in `renders`. */
export type PayloadFormat = {
  /** The summary of its deliveries in the OpenAPI document. */
  summary: string;
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

/**
 * Makes the JSON of a payload. The same snapshot must give the same bytes at every attempt and in every version, because
 * later attempts repeat the first one. `raw` is the text of a JSON object, and '{}' if the event has no message.
 */
export type Render = (snapshot: Snapshot, around: PayloadContext, raw: string) => string;

// A table does not keep the order of the fields of a snapshot, so payloads name their fields one by one.
export const pointOf = (at: Snapshot['event']['coordinates']) => at && { x: at.x, y: at.y, z: at.z };
