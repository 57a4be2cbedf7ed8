import type { Service, Snapshot } from '../delivery/delivery.ts';

/** What a payload contains besides the snapshot: the sending service and webhook, and the message of the device. */
export type PayloadContext = {
  service: Service;
  webhook: { id: string; name: string; isCustomerHook: boolean };
  raw: string | null;
  isTest?: boolean;
  /** Null: there is no hit to acknowledge. */
  acknowledgeUrl: string | null;
};

/**
 * Makes the JSON of a payload. The same snapshot must give the same bytes at every attempt and in every version, because
 * later attempts repeat the first one. `raw` is the text of a JSON object, and '{}' if the event has no message.
 */
export type Render = (snapshot: Snapshot, around: PayloadContext, raw: string) => string;

// A table does not keep the order of the fields of a snapshot, so payloads name their fields one by one.
export const pointOf = (at: Snapshot['event']['coordinates']) => at && { x: at.x, y: at.y, z: at.z };
