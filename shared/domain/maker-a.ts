import * as z from 'zod';
import { type Decoded, fallStatuses, type Signal } from './message.ts';
import { millis, uuid } from './values.ts';

// Only what makes a message what it is decides whether it is understood. Anything else that is unreadable is left out:
// a fall with a broken coordinate is a fall.
const cm = z.number().min(-100_000).max(100_000);
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const flag = z.boolean().catch(false);

const Presence = z.object({
  presenceDetected: z.boolean(),
  trackerTargets: maybe(z.array(z.object({ xPosCm: cm, yPosCm: cm, zPosCm: maybe(cm) }))),
  timestamp: maybe(millis),
});

const Fall = z.object({
  status: z.enum(fallStatuses),
  timestamp: millis,
  statusUpdateTimestamp: maybe(millis),
  fallLocX_cm: maybe(cm),
  fallLocY_cm: maybe(cm),
  fallLocZ_cm: maybe(cm),
  isSimulated: flag,
  isSilent: flag,
});

const Envelope = z.object({ type: z.union([z.int(), z.string()]), payload: z.record(z.string(), z.unknown()) });
const OwnId = z.object({ uuid: maybe(uuid), sensorEventId: maybe(uuid) });

const unknown: Signal = { kind: 'unknown' };

const presence = (payload: unknown): Omit<Decoded, 'uuid'> | null => {
  const { data } = Presence.safeParse(payload);
  if (!data) return null;
  const target = data.trackerTargets?.[0];
  return {
    signal: {
      kind: 'presence',
      present: data.presenceDetected,
      point: target ? { x: target.xPosCm, y: target.yPosCm, z: target.zPosCm ?? 0 } : null,
    },
    deviceTime: data.timestamp ?? null,
    identity: data.timestamp === undefined ? null : ['presence', data.timestamp, Number(data.presenceDetected)],
  };
};

const fall = (payload: unknown): Omit<Decoded, 'uuid'> | null => {
  const { data } = Fall.safeParse(payload);
  if (!data) return null;
  const { status, timestamp: start, fallLocX_cm: x, fallLocY_cm: y, fallLocZ_cm: z = 0, isSimulated, isSilent } = data;
  const point = x === undefined || y === undefined ? null : { x, y, z };
  return {
    signal: { kind: 'fall', status, start, point, isSimulated, isSilent },
    deviceTime: data.statusUpdateTimestamp ?? start,
    identity: ['fall', start, status],
  };
};

const decoders: Record<string, (payload: unknown) => Omit<Decoded, 'uuid'> | null> = {
  4: presence,
  5: fall,
  state: () => ({ signal: { kind: 'state' }, deviceTime: null, identity: null }),
};

const ownUuid = (message: unknown, payload: unknown): string | null => {
  const [top, inner] = [OwnId.safeParse(message).data, OwnId.safeParse(payload).data];
  return top?.uuid ?? top?.sensorEventId ?? inner?.uuid ?? inner?.sensorEventId ?? null;
};

/** Decodes a message of a maker A device. Never fails: what it does not understand is `unknown`. */
export const decodeMakerA = (message: unknown): Decoded => {
  const envelope = Envelope.safeParse(message).data;
  const uuid = ownUuid(message, envelope?.payload);
  const decode = envelope && Object.hasOwn(decoders, envelope.type) ? decoders[envelope.type] : undefined;
  return { signal: unknown, deviceTime: null, identity: null, ...decode?.(envelope?.payload), uuid };
};
