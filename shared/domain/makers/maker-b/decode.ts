import * as z from 'zod';
import type { Situation } from '#shared/domain/event/event.ts';
import { type DecodedMessage, type Move, type Signal, uuidInMessage } from '#shared/domain/event/message.ts';
import { readFields } from '../message-fields.ts';
import { CommonFields, messagesOfMakerB as kinds, MoveEntry, PostureEntry } from './messages.ts';

const Envelope = z.object({
  cmd: z.enum(['event', 'alarm', 'stat']),
  type: z.int().optional().catch(undefined),
  data: z.unknown().optional(),
});

/** The decoded signal, and the invalid fields, which were left out; null if the data lacks a required field. */
type Read = { signal: Signal; wrong: readonly string[] } | null;

/**
 * Reads the entries in a list, leaving out those that lack a required field. Null if the value is not a list; `entries`
 * is null if none are left.
 */
const entriesOf = <F extends z.ZodObject, T>(
  fields: F,
  data: unknown,
  create: (found: ReturnType<typeof readFields<F>>['found']) => T | null,
): { entries: T[] | null; wrong: string[] } | null => {
  if (!Array.isArray(data)) return null;
  const wrong: string[] = [];
  const entries = data.slice(0, 64).flatMap((entry, index) => {
    const read = readFields(fields, entry);
    const created = create(read.found);
    const names = read.wrong.map((name) => `data.${index}.${name}`);
    wrong.push(...(created === null && names.length === 0 ? [`data.${index}`] : names));
    return created === null ? [] : [created];
  });
  return entries.length === 0 && data.length > 0 ? { entries: null, wrong } : { entries, wrong };
};

const unknown = { kind: 'unknown' } as const satisfies Signal;

const areaKinds: Readonly<Record<number, NonNullable<Move['area']>['kind']>> = { 2: 'bed', 4: 'door', 5: 'bed' };

const moves = (data: unknown): Read => {
  const read = entriesOf(MoveEntry, data, (found): Move | null => {
    const { event, area_type: type, area_id: index = 0, 'track-id': track = 0 } = found;
    if (event === undefined) return null;
    const area = event < 3 ? null : { index, kind: type === undefined ? null : (areaKinds[type] ?? 'default') };
    return { track, entered: event === 1 || event === 3, area };
  });
  if (!read?.entries) return read && { signal: unknown, wrong: read.wrong };
  return { signal: { kind: 'moves', moves: read.entries }, wrong: read.wrong };
};

const postures = (data: unknown): Read => {
  const read = entriesOf(PostureEntry, data, ({ pose, 'track-id': track = 0 }) =>
    pose === undefined ? null : { track, pose },
  );
  if (!read?.entries) return read && { signal: { ...unknown, isAboutFalls: true }, wrong: read.wrong };
  return { signal: { kind: 'postures', postures: read.entries }, wrong: read.wrong };
};

const people = (data: unknown): Read => {
  const { found, wrong } = readFields(kinds.people.fields.shape.data, data);
  const count = found['number-people'];
  return count === undefined
    ? { signal: unknown, wrong: wrong.map((name) => `data.${name}`) }
    : { signal: { kind: 'people', count }, wrong: [] };
};
const online = (data: unknown): Read => {
  const { found, wrong } = readFields(kinds.online.fields.shape.data, data);
  const { status } = found;
  return status === undefined
    ? { signal: unknown, wrong: wrong.map((name) => `data.${name}`) }
    : { signal: { kind: 'online', isOnline: status === 0 }, wrong: [] };
};
const sign = (situation: 'sensor_weak_signal' | 'sensor_tilted') => (): Read => ({
  signal: { kind: 'sign', situation },
  wrong: [],
});

const vitalAlarms: Readonly<Record<number, Situation>> = {
  11: 'respiration_high',
  12: 'respiration_low',
  13: 'apnea',
  14: 'heart_rate_high',
  15: 'heart_rate_low',
  16: 'vital_signs_weak',
};

const vital = (data: unknown): Read => {
  const { found, wrong } = readFields(kinds.vital.fields.shape.data, data);
  const { respirationRate, heartRate, alarmType } = found;
  const rates = [respirationRate, heartRate].filter((rate) => rate !== undefined);
  if (rates.length === 0 && alarmType === undefined) return null;
  const alarm = alarmType === undefined ? null : (vitalAlarms[alarmType] ?? null);
  // A rate of 0 means nothing was measured, so it does not end an alarm.
  const hasReading = rates.length === 0 || rates.some((rate) => rate > 0);
  return { signal: { kind: 'vital', alarm, hasReading }, wrong: wrong.map((name) => `data.${name}`) };
};

const decoders: Readonly<Record<number, (data: unknown) => Read>> = {
  [kinds.moves.type]: moves,
  [kinds.postures.type]: postures,
  [kinds.people.type]: people,
  [kinds.online.type]: online,
  [kinds.weakSignal.type]: sign('sensor_weak_signal'),
  [kinds.tilted.type]: sign('sensor_tilted'),
};

const read = (message: unknown): NonNullable<Read> => {
  const { cmd, type, data } = Envelope.safeParse(message).data ?? {};
  const byType = type === undefined ? undefined : decoders[type];
  return (cmd === 'stat' ? vital(data) : null) ?? byType?.(data) ?? { signal: unknown, wrong: [] };
};

/** Decodes a message from a maker B device. Never throws: an unreadable message is `unknown`. */
export const decodeMakerB = (message: unknown): DecodedMessage => {
  const data = (message as { data?: unknown } | null)?.data;
  const top = readFields(CommonFields, message);
  const inner = readFields(CommonFields, data);
  const deviceTime = top.found.timestamp ?? inner.found.timestamp ?? null;
  const { signal, wrong } = read(message);
  return {
    signal,
    deviceTime,
    uuid: uuidInMessage(message, data),
    identity: deviceTime === null ? null : ['message', deviceTime, JSON.stringify(message)],
    wrong: [...top.wrong, ...inner.wrong.map((name) => `data.${name}`), ...wrong],
  };
};
