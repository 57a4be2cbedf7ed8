import type { Received } from '#lib/home/receiver.ts';
import { type Counts, count } from './expect.ts';
import { type Hook, sensorOf } from './home.ts';
import type { Kind } from './rules.ts';

/** The event types of the format Custom 1 that the pager gets, by their numbers. */
const kinds: Readonly<Record<number, Kind>> = { 1: 'fall/fall_detected' };

type Full = { event: { type: string; action: string }; sensor: { name: string } };
type Small = { eventType: number; sensorName: string };

/**
 * Counts the deliveries that arrive. A second delivery with the same `webhook-id` is a repetition, and counts as one.
 */
export const createArrivals = () => {
  const deliveries: Counts = new Map();
  const seen = new Set<string>();
  let repeats = 0;
  let strangers = 0;
  return {
    deliveries,
    repeats: () => repeats,
    /** The number of deliveries that carried the token of none of the home's webhooks. */
    strangers: () => strangers,
    /**
     * Counts a delivery. Gives its listener and kind of event; null for a repetition, for an unknown token and for
     * raw messages.
     */
    hear: ({ headers, body }: Received, hooks: ReadonlyMap<string, Hook>) => {
      const hook = hooks.get(headers.authorization?.replace('Bearer ', '') ?? '');
      const id = String(headers['webhook-id']);
      if (!hook || seen.has(id)) {
        if (hook) repeats++;
        else strangers++;
        return null;
      }
      seen.add(id);
      if (hook.listener === 'bytes') {
        count(deliveries, 'bytes');
        return null;
      }
      const payload = JSON.parse(body) as Full | Small;
      const [kind, name] =
        'event' in payload
          ? [`${payload.event.type}/${payload.event.action}`, payload.sensor.name]
          : [kinds[payload.eventType] ?? `type ${payload.eventType}`, payload.sensorName];
      count(deliveries, hook.listener, sensorOf(name), kind);
      return { listener: hook.listener, kind };
    },
  };
};
