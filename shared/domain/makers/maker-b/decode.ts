import * as z from 'zod';
import type { Situation } from '../../event.ts';
import { type Decoded, type Move, ownUuid, type Signal } from '../../message.ts';
import { maybe, millis } from '../../values.ts';

const Envelope = z.object({
  cmd: z.enum(['event', 'alarm', 'stat']),
  type: maybe(z.int()),
  data: z.unknown().optional(),
});
const Timed = z.object({ timestamp: millis });

// A track without a valid number still is a person. All such tracks count as track 0.
const track = z.int().min(0).max(2_147_483_647).catch(0);
const MoveEntry = z.object({
  'track-id': track,
  event: z.literal([1, 2, 3, 4]),
  area_type: maybe(z.int().min(0)),
  area_id: z.int().min(0).max(63).catch(0),
});
const PostureEntry = z.object({ 'track-id': track, pose: z.int().min(0).max(255) });
const People = z.object({ 'number-people': z.int().min(0).max(1_000) });
const Online = z.object({ status: z.literal([0, 1]) });
const rate = maybe(z.number().min(0).max(1_000));
const Vital = z.object({ respirationRate: rate, heartRate: rate, alarmType: maybe(z.int().min(0)) });

/**
 * Gives the valid entries of a list. It is null if the value is no list, or if it has entries and none of them is
 * valid.
 */
const entriesOf = <T extends z.ZodType>(schema: T, data: unknown): z.output<T>[] | null => {
  if (!Array.isArray(data)) return null;
  const read = data.slice(0, 64).flatMap((entry) => {
    const { data: found, success } = schema.safeParse(entry);
    return success ? [found] : [];
  });
  return read.length === 0 && data.length > 0 ? null : read;
};

const areaKinds: Readonly<Record<number, NonNullable<Move['area']>['kind']>> = { 2: 'bed', 4: 'door', 5: 'bed' };

const moveOf = ({ event, area_type: type, area_id: index, ...entry }: z.output<typeof MoveEntry>): Move => ({
  track: entry['track-id'],
  entered: event === 1 || event === 3,
  area: event < 3 ? null : { index, kind: type === undefined ? null : (areaKinds[type] ?? 'default') },
});

const moves = (data: unknown): Signal | null => {
  const entries = entriesOf(MoveEntry, data);
  return entries && { kind: 'moves', moves: entries.map(moveOf) };
};
const postures = (data: unknown): Signal | null => {
  const entries = entriesOf(PostureEntry, data);
  return entries && { kind: 'postures', postures: entries.map((one) => ({ track: one['track-id'], pose: one.pose })) };
};
const people = (value: unknown): Signal | null => {
  const { data } = People.safeParse(value);
  return data ? { kind: 'people', count: data['number-people'] } : null;
};
const online = (value: unknown): Signal | null => {
  const { data } = Online.safeParse(value);
  return data ? { kind: 'online', isOnline: data.status === 0 } : null;
};

const vitalAlarms: Readonly<Record<number, Situation>> = {
  11: 'respiration_high',
  12: 'respiration_low',
  13: 'apnea',
  14: 'heart_rate_high',
  15: 'heart_rate_low',
  16: 'vital_signs_weak',
};

const vital = (value: unknown): Signal | null => {
  const { respirationRate, heartRate, alarmType } = Vital.safeParse(value).data ?? {};
  const rates = [respirationRate, heartRate].filter((one) => one !== undefined);
  if (rates.length === 0 && alarmType === undefined) return null;
  const alarm = alarmType === undefined ? null : (vitalAlarms[alarmType] ?? null);
  // A rate of 0 means that nothing was measured, so it does not show that all is well again.
  return { kind: 'vital', alarm, hasReading: rates.length === 0 || rates.some((one) => one > 0) };
};

const decoders: Readonly<Record<number, (data: unknown) => Signal | null>> = {
  1: moves,
  2: postures,
  3: people,
  5: online,
  7: () => ({ kind: 'sign', situation: 'sensor_weak_signal' }),
  8: () => ({ kind: 'sign', situation: 'sensor_tilted' }),
};

const signalOf = (message: unknown): Signal => {
  const { cmd, type, data } = Envelope.safeParse(message).data ?? {};
  const byType = type === undefined ? undefined : decoders[type];
  return (cmd === 'stat' ? vital(data) : null) ?? byType?.(data) ?? { kind: 'unknown' };
};

/** Decodes a message of a maker B device. It never throws: a message that it does not understand is `unknown`. */
export const decodeMakerB = (message: unknown): Decoded => {
  const data = (message as { data?: unknown } | null)?.data;
  const deviceTime = (Timed.safeParse(message).data ?? Timed.safeParse(data).data)?.timestamp ?? null;
  return {
    signal: signalOf(message),
    deviceTime,
    uuid: ownUuid(message, data),
    identity: deviceTime === null ? null : ['message', deviceTime, JSON.stringify(message)],
    byBytes: deviceTime === null,
  };
};
