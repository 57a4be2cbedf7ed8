import * as z from 'zod';
import type { Point } from '#shared/domain/event/event.ts';
import { type DecodedMessage, type FallStatus, uuidInMessage } from '#shared/domain/event/message.ts';
import { readFields } from '../message-fields.ts';
import { messagesOfMakerA as kinds, REGION, Target } from './messages.ts';

const Envelope = z.object({ type: z.union([z.int(), z.string()]), payload: z.record(z.string(), z.unknown()) });

type Content = Omit<DecodedMessage, 'uuid'>;
/** The decoded payload; null if it lacks a required field. */
type Read = Content | null;

/** Returns the entries in an object or array. Each valid entry counts, even if others are invalid. */
const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
const fieldOf = (payload: unknown, name: string): unknown => (payload as Record<string, unknown>)[name];

const regionsOf = (payload: unknown): Record<number, boolean> =>
  Object.fromEntries(
    entriesOf(fieldOf(payload, 'presenceRegionMap'))
      .filter(([index, value]) => REGION.test(index) && (value === 0 || value === 1))
      .map(([index, value]) => [index, value === 1]),
  );

type FallLocation = {
  fallLocX_cm?: number | undefined;
  fallLocY_cm?: number | undefined;
  fallLocZ_cm?: number | undefined;
};
/** Rounds to a thousandth of a cm, because the table cannot store numbers too close to 0. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
const pointAt = (x: number, y: number, z?: number): Point => ({
  x: rounded(x),
  y: rounded(y),
  ...(z !== undefined && { z: rounded(z) }),
});

/** Returns where a fall happened or, if that is unknown, the position of the first target the device tracks. */
const pointOf = (
  payload: unknown,
  { fallLocX_cm: x, fallLocY_cm: y, fallLocZ_cm: z }: FallLocation = {},
): Point | null => {
  if (x !== undefined && y !== undefined) return pointAt(x, y, z);
  const [[, first] = []] = entriesOf(fieldOf(payload, 'trackerTargets'));
  const { found } = readFields(Target, first);
  return found.xPosCm !== undefined && found.yPosCm !== undefined
    ? pointAt(found.xPosCm, found.yPosCm, found.zPosCm)
    : null;
};

type Timestamps = { timestamp?: number | undefined; statusUpdateTimestamp?: number | undefined };
const timeOf = ({ statusUpdateTimestamp, timestamp }: Timestamps): number | null =>
  statusUpdateTimestamp ?? timestamp ?? null;

const presence = (payload: unknown): Read => {
  const { found, wrong } = readFields(kinds[4].fields, payload);
  const regions = regionsOf(payload);
  const present = found.presenceDetected ?? null;
  if (present === null && Object.keys(regions).length === 0) return null;
  const deviceTime = timeOf(found);
  return {
    signal: { kind: 'presence', present, regions, point: pointOf(payload) },
    deviceTime,
    identity: deviceTime === null ? null : ['presence', deviceTime, JSON.stringify([present, regions])],
    wrong,
  };
};

/** Returns the fall status. `on_call` counts as `calling`, which is reported once. */
const statusOf = (status: FallStatus | 'on_call' | 'fall_suspected'): FallStatus => {
  if (status === 'on_call') return 'calling';
  // Sensitive falls have the same states, except that the first state has a different name and there is no
  // `fall_confirmed`.
  return status === 'fall_suspected' ? 'fall_detected' : status;
};

const fallDecoder =
  (type: 5 | 8) =>
  (payload: unknown): Read => {
    const { found, wrong } = readFields(kinds[type].fields, payload);
    if (found.status === undefined) return null;
    const { timestamp: start = null, isSimulated = false, isSilent = false, isLearning } = found;
    const status = statusOf(found.status);
    const isOnCall = found.status === 'on_call';
    const isSensitive = type === 8;
    return {
      signal: {
        kind: 'fall',
        status,
        ...(isOnCall && { isOnCall }),
        start,
        isSensitive,
        point: pointOf(payload, found),
        isSimulated,
        isSilent,
        ...(isLearning !== undefined && { isLearning }),
      },
      deviceTime: timeOf(found),
      identity: start === null ? null : [isSensitive ? 'sensitive' : 'fall', start, status],
      wrong,
    };
  };

const bedExit = (payload: unknown): Read => {
  const { found, wrong } = readFields(kinds[10].fields, payload);
  const deviceTime = timeOf(found);
  const identity = deviceTime === null ? null : ['bed_exit', deviceTime];
  return { signal: { kind: 'bed_exit', point: pointOf(payload) }, deviceTime, identity, wrong };
};

/** Decodes the firmware version: `0.42.1`, or `v0.42.1` at the start of any word, is firmware 42. */
const stateOf = (payload: unknown): Content => {
  const { found, wrong } = readFields(kinds.state.fields, payload);
  const [, minor] = /(?:^v?|(?<![A-Za-z0-9])v)0\.(\d{1,9})(?!\d)/.exec(found.versionName ?? '') ?? [];
  return {
    signal: { kind: 'state', firmware: minor === undefined ? null : Number(minor) },
    deviceTime: null,
    identity: null,
    wrong,
  };
};

const decoders: Record<keyof typeof kinds, (payload: unknown) => Read> = {
  4: presence,
  5: fallDecoder(5),
  8: fallDecoder(8),
  10: bedExit,
  state: stateOf,
};
/** Whether a message without an envelope reports the device state. */
const isFlatState = (message: unknown): boolean => {
  const { type = 'state', versionName } = (message ?? {}) as { type?: unknown; versionName?: unknown };
  return type === 'state' && typeof versionName === 'string';
};
const isKnown = (type: unknown): type is keyof typeof kinds =>
  (typeof type === 'number' || typeof type === 'string') && Object.hasOwn(decoders, type);

const unknownContent = (message: unknown, payload: unknown, type: unknown): Content => {
  const deviceTime = timeOf(readFields(kinds[10].fields, payload).found);
  const identity = deviceTime === null ? null : ['unknown', deviceTime, JSON.stringify(message)];
  const wrong = isKnown(type) ? readFields<z.ZodObject>(kinds[type].fields, payload).wrong : [];
  const isAboutFalls = isKnown(type) && (Number(type) === 5 || Number(type) === 8);
  return { signal: { kind: 'unknown', ...(isAboutFalls && { isAboutFalls }) }, deviceTime, identity, wrong };
};

/** Decodes a message from a maker A device. Never throws: an unreadable message is `unknown`. */
export const decodeMakerA = (message: unknown): DecodedMessage => {
  const envelope = Envelope.safeParse(message).data;
  if (!envelope && isFlatState(message)) return { ...stateOf(message), uuid: uuidInMessage(message, null) };
  const { type, payload } = envelope ?? {};
  const content = (isKnown(type) && decoders[type](payload)) || unknownContent(message, payload, type);
  return { ...content, wrong: content.wrong.map((name) => `payload.${name}`), uuid: uuidInMessage(message, payload) };
};
