import type { Received } from '#lib/home/receiver.ts';
import { type Counts, count } from './expect.ts';
import { type Hook, sensorOf } from './home.ts';
import type { Kind } from './rules.ts';

/** The event types in the Custom 1 format that the pager receives. */
const kinds: Readonly<Record<number, Kind>> = { 1: 'fall/fall_detected' };

type Full = { event: { type: string; action: string }; sensor: { name: string } };
type Custom1 = { eventType: number; sensorName: string };

/** Counts incoming deliveries. Another delivery with the same `webhook-id` counts as a duplicate. */
export const createArrivals = () => {
  const deliveries: Counts = new Map();
  const seen = new Set<string>();
  let duplicates = 0;
  let strangers = 0;
  return {
    deliveries,
    duplicates: () => duplicates,
    /** Returns the number of deliveries with a token that belongs to none of the webhooks. */
    strangers: () => strangers,
    /**
     * Counts a delivery. Returns the listener and the event kind, or null for a duplicate, an unknown token or a raw
     * message.
     */
    record: ({ headers, body }: Received, hooks: ReadonlyMap<string, Hook>) => {
      const hook = hooks.get(headers.authorization?.replace('Bearer ', '') ?? '');
      const id = String(headers['webhook-id']);
      if (!hook || seen.has(id)) {
        if (hook) duplicates++;
        else strangers++;
        return null;
      }
      seen.add(id);
      if (hook.listener === 'bytes') {
        count(deliveries, 'bytes');
        return null;
      }
      const payload = JSON.parse(body) as Full | Custom1;
      const [kind, name] =
        'event' in payload
          ? [`${payload.event.type}/${payload.event.action}`, payload.sensor.name]
          : [kinds[payload.eventType] ?? `type ${payload.eventType}`, payload.sensorName];
      count(deliveries, hook.listener, sensorOf(name), kind);
      return { listener: hook.listener, kind };
    },
  };
};
