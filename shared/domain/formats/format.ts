import * as z from 'zod';
import type { Service, Snapshot } from '../delivery.ts';

export const Format = z.enum(['full', 'custom1', 'raw']);
export type Format = z.infer<typeof Format>;

/** What a payload tells besides the snapshot: who sends it, by which webhook, and the device's own bytes. */
export type Around = {
  service: Service;
  webhook: { id: string; name: string; isCustomerHook: boolean };
  raw: string | null;
  isTest?: boolean;
};

/** All that there is to know of a format of payloads. */
export type PayloadFormat = {
  /** Of a delivery, for the OpenAPI document. */
  summary: string;
  /** Only webhooks of bots may have it. */
  isForBots: boolean;
  /** Its payload has a code for the event: what has none cannot be told. */
  needsCode: boolean;
  /** The bytes of the device: nothing can be told without them, they are told where there are any, or never. */
  message: 'required' | 'told' | 'left_out';
  /** A message is sent once, however many events and rules it is for. */
  isOncePerMessage: boolean;
  /**
   * The JSON of a payload. The same snapshot gives the same bytes at every attempt, and in every version: what waits was
   * begun with them. `raw` is the text of a JSON object; '{}' where the event has no message.
   */
  render: (snapshot: Snapshot, around: Around, raw: string) => string;
};

// A table gives the fields of a snapshot back in any order. Each payload names its fields one by one.
export const pointOf = (at: Snapshot['event']['coordinates']) => at && { x: at.x, y: at.y, z: at.z };
