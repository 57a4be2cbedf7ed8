import type { Service, Snapshot } from '../delivery/delivery.ts';

/** What goes into a payload besides the snapshot: the sending service and webhook, and the device message. */
export type PayloadContext = {
  service: Service;
  webhook: { id: string; name: string; isCustomerHook: boolean };
  raw: string | null;
  isTest?: boolean;
  /** Null if there is no hit to acknowledge. */
  acknowledgeUrl: string | null;
};

/**
 * Renders a payload as JSON. The same snapshot must yield the same bytes in every attempt and every version, because
 * later attempts repeat the first one. `raw` is a JSON object as text; '{}' if the event has no message.
 */
export type Render = (snapshot: Snapshot, context: PayloadContext, raw: string) => string;

// The table does not preserve the order of snapshot fields, so payloads list their fields one by one.
export const coordinatesOf = (point: Snapshot['event']['coordinates']) =>
  point && { x: point.x, y: point.y, z: point.z };
