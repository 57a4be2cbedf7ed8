import * as z from 'zod';
import type { Point } from '../../event.ts';
import { type Decoded, fallStatuses, ownUuid, type Signal } from '../../message.ts';
import { maybe, millis } from '../../values.ts';

// A message is understood if its essential fields are valid. All other fields are left out if they are invalid: a fall
// with a broken coordinate is still a fall, and one with a broken start still raises an alarm.
/** Rounded to a thousandth of a cm, because the table cannot store numbers too close to 0. */
const cm = z
  .number()
  .min(-100_000)
  .max(100_000)
  .transform((value) => Math.round(value * 1_000) / 1_000);
const flag = z.boolean().catch(false);

const Target = z.object({ xPosCm: cm, yPosCm: cm, zPosCm: maybe(cm) });
const Presence = z.object({
  presenceDetected: maybe(z.boolean()),
  presenceRegionMap: maybe(z.record(z.string(), z.unknown())),
});
const Place = z.object({
  fallLocX_cm: maybe(cm),
  fallLocY_cm: maybe(cm),
  fallLocZ_cm: maybe(cm),
  trackerTargets: maybe(z.array(z.unknown())),
});

const fallFields = {
  timestamp: maybe(millis),
  isSimulated: flag,
  isSilent: flag,
  isLearning: maybe(z.boolean()),
};
const Fall = z.object({ status: z.enum(fallStatuses), ...fallFields });
// Sensitive falls have the same states with another name for the first one, and without `fall_confirmed`.
const SensitiveFall = z.object({
  status: z
    .enum(['fall_suspected', 'calling', 'finished', 'fall_exit', 'canceled'])
    .transform((status) => (status === 'fall_suspected' ? 'fall_detected' : status)),
  ...fallFields,
});
const Timed = z.object({ statusUpdateTimestamp: maybe(millis), timestamp: maybe(millis) });

const Envelope = z.object({ type: z.union([z.int(), z.string()]), payload: z.record(z.string(), z.unknown()) });

type Content = Omit<Decoded, 'uuid'>;
const unknown: Signal = { kind: 'unknown' };

/** Matches the positionIdx of a region. */
const REGION = /^(\d|1[0-5])$/;

const regionsOf = (map: Record<string, unknown> | undefined): Record<number, boolean> =>
  Object.fromEntries(
    Object.entries(map ?? {}).flatMap(([index, value]) =>
      REGION.test(index) && (value === 0 || value === 1) ? [[index, value === 1]] : [],
    ),
  );

/** Gives the location of a fall, and otherwise the position of the first target that the device tracks. */
const pointOf = (payload: unknown): Point | null => {
  const { fallLocX_cm: x, fallLocY_cm: y, fallLocZ_cm: z = 0, trackerTargets } = Place.safeParse(payload).data ?? {};
  if (x !== undefined && y !== undefined) return { x, y, z };
  const { data } = Target.safeParse(trackerTargets?.[0]);
  return data ? { x: data.xPosCm, y: data.yPosCm, z: data.zPosCm ?? 0 } : null;
};

const timeOf = (payload: unknown): number | null => {
  const { data } = Timed.safeParse(payload);
  return data?.statusUpdateTimestamp ?? data?.timestamp ?? null;
};

const presence = (payload: unknown): Content | null => {
  const { data } = Presence.safeParse(payload);
  const regions = regionsOf(data?.presenceRegionMap);
  const present = data?.presenceDetected ?? null;
  if (!data || (present === null && Object.keys(regions).length === 0)) return null;
  const deviceTime = timeOf(payload);
  return {
    signal: { kind: 'presence', present, regions, point: pointOf(payload) },
    deviceTime,
    identity: deviceTime === null ? null : ['presence', deviceTime, JSON.stringify([present, regions])],
  };
};

const fallBy = (schema: typeof Fall | typeof SensitiveFall, isSensitive: boolean) => (payload: unknown) => {
  const { data } = schema.safeParse(payload);
  if (!data) return null;
  const { status, timestamp: start = null, isSimulated, isSilent, isLearning } = data;
  const fall = { kind: 'fall', status, start, isSensitive, point: pointOf(payload), isSimulated, isSilent } as const;
  return {
    signal: { ...fall, ...(isLearning !== undefined && { isLearning }) },
    deviceTime: timeOf(payload),
    identity: start === null ? null : [isSensitive ? 'sensitive' : 'fall', start, status],
    byBytes: start === null,
  } satisfies Content;
};

const bedExit = (payload: unknown): Content => {
  const deviceTime = timeOf(payload);
  const identity = deviceTime === null ? null : ['bed_exit', deviceTime];
  return { signal: { kind: 'bed_exit', point: pointOf(payload) }, deviceTime, identity };
};

const Version = z.object({ versionName: z.string().max(64) });

/** Decodes the firmware version: `0.42.1`, with or without a v, is firmware 42. */
const state = (payload: unknown): Content => {
  const [, minor] = /^v?0\.(\d{1,9})(?!\d)/.exec(Version.safeParse(payload).data?.versionName ?? '') ?? [];
  const firmware = minor === undefined ? null : Number(minor);
  return { signal: { kind: 'state', firmware }, deviceTime: null, identity: null };
};

const decoders: Record<string, (payload: unknown) => Content | null> = {
  4: presence,
  5: fallBy(Fall, false),
  8: fallBy(SensitiveFall, true),
  10: bedExit,
  state,
};

const notUnderstood = (message: unknown, payload: unknown): Content => {
  const deviceTime = timeOf(payload);
  const identity = deviceTime === null ? null : ['unknown', deviceTime, JSON.stringify(message)];
  return { signal: unknown, deviceTime, identity };
};

/** Decodes a message of a maker A device. It never throws: a message that it does not understand is `unknown`. */
export const decodeMakerA = (message: unknown): Decoded => {
  const { type, payload } = Envelope.safeParse(message).data ?? {};
  const decode = type !== undefined && Object.hasOwn(decoders, type) ? decoders[type] : undefined;
  return { ...(decode?.(payload) ?? notUnderstood(message, payload)), uuid: ownUuid(message, payload) };
};
