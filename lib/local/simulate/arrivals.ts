import type { Received } from '../demo/receiver.ts';
import { type Counts, count } from './expect.ts';
import { type Hook, sensorOf } from './home.ts';
import type { Kind } from './rules.ts';

/** What the small format calls what the pager is told of. */
const kinds: Readonly<Record<number, Kind>> = { 1: 'fall/fall_detected' };

type Full = { event: { type: string; action: string }; sensor: { name: string } };
type Small = { eventType: number; sensorName: string };

/** Counts what arrives. The same `webhook-id` again is the same thing, told once more. */
export const createArrivals = () => {
  const told: Counts = new Map();
  const seen = new Set<string>();
  let repeats = 0;
  let strangers = 0;
  return {
    told,
    repeats: () => repeats,
    /** What came without the token of any of our webhooks. */
    strangers: () => strangers,
    /** Gives who hears of what; null when it is not new. */
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
        count(told, 'bytes');
        return null;
      }
      const payload = JSON.parse(body) as Full | Small;
      const [kind, name] =
        'event' in payload
          ? [`${payload.event.type}/${payload.event.action}`, payload.sensor.name]
          : [kinds[payload.eventType] ?? `type ${payload.eventType}`, payload.sensorName];
      count(told, hook.listener, sensorOf(name), kind);
      return { listener: hook.listener, kind };
    },
  };
};
