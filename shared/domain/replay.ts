import * as z from 'zod';
import type { Delivery, DeliveryState } from './delivery.ts';
import { derivedUlid } from './ids.ts';
import { int32, int64, millis, uuid } from './values.ts';

/** States of deliveries that may be sent again: those that have ended, and those that are held. */
const Replayable = z.enum(['delivered', 'held', 'failed']) satisfies z.ZodType<DeliveryState>;

/** Which deliveries of a webhook are to be sent again. */
export const NewReplay = z
  .object({
    since: millis,
    until: millis,
    states: z.array(Replayable).min(1).max(3).default(['failed', 'held']),
    ratePerSecond: int32(1, 100).default(10),
  })
  .check((ctx) => {
    const { since, until } = ctx.value;
    if (until < since)
      ctx.issues.push({ code: 'custom', input: ctx.value, path: ['until'], params: { key: 'minimum', limit: since } });
  })
  .meta({
    id: 'NewReplay',
    examples: [{ since: 1_767_225_600_000, until: 1_767_312_000_000, states: ['failed', 'held'], ratePerSecond: 10 }],
  });
export type NewReplay = z.output<typeof NewReplay>;

/** What a client sends to stop a replay for a while, or to let it go on. */
export const ReplayUpdate = z
  .object({ isPaused: z.boolean() })
  .meta({ id: 'ReplayUpdate', examples: [{ isPaused: true }] });

/** A replay: a job that sends deliveries again, and how far it is. */
export const Replay = z
  .object({
    id: uuid,
    webhookId: uuid,
    state: z.enum(['running', 'completed', 'canceled', 'failed']),
    isPaused: z.boolean(),
    since: millis,
    until: millis,
    total: int64.meta({ description: 'how many are sent again; of a long span it grows while it is gone through' }),
    sent: int64,
    failed: int64,
    createDate: millis,
    updateDate: millis,
  })
  .meta({ id: 'Replay' });
export type Replay = z.output<typeof Replay>;

/** What the cloud keeps of it. */
export type ReplayRecord = Omit<Replay, 'total' | 'isPaused'> &
  Pick<NewReplay, 'states' | 'ratePerSecond'> & {
    isPaused?: boolean;
    customerId: number;
    /** Deliveries found when it was made, of a long span not all, and how many were written so far. */
    found: number;
    made: number;
    /** The last delivery that was looked at; null: none yet. */
    cursor: string | null;
    /** Until when (ms) those are spread that were written. */
    pacedUntil: number;
    /** All were looked at: what was made is all there will be. */
    isListed: boolean;
    /** Counts the steps: two at the same time are one. */
    step: number;
  };

/** What its owner sees. */
export const replayView = (record: ReplayRecord): Replay => ({
  ...record,
  isPaused: record.state === 'running' && record.isPaused === true,
  total: record.isListed || record.made > record.found ? record.made : record.found,
});

export const isFinished = ({ isListed, sent, failed, made }: ReplayRecord): boolean =>
  isListed && sent + failed >= made;

/** The times (ms) of what a replay looks at: what comes after it was made is no matter of it. */
export const spanOf = (replay: Pick<Replay, 'since' | 'until' | 'createDate'>): readonly [number, number] => [
  replay.since,
  Math.min(replay.until, replay.createDate),
];

/** Is a delivery one that a replay sends again? Repetitions and tests are not: what they repeat is there itself. */
export const takes = (
  { states }: Pick<NewReplay, 'states'>,
  { state, replayOf, isTest }: Pick<Delivery, 'state' | 'replayOf' | 'isTest'>,
): boolean => states.some((one) => one === state) && replayOf === undefined && !isTest;

/** A new delivery with the content of another one, due at `time` (ms), with the full retry schedule before it. */
export const again = (original: Delivery, id: string, time: number, now: number): Delivery => ({
  id,
  customerId: original.customerId,
  webhookId: original.webhookId,
  createDate: now,
  updateDate: now,
  state: 'pending',
  reason: null,
  attempts: 0,
  nextAttempt: Math.round(time),
  hit: original.hit,
  ...(original.alsoHits && { alsoHits: original.alsoHits }),
  sendTryTimes: [],
  replayOf: original.replayOf ?? original.id,
  ...(original.replayOf && { repeats: original.id }),
  ...(original.isTest && { isTest: true }),
  ...(original.format && { format: original.format }),
  snapshot: original.snapshot,
});

/** The repetition of a delivery in a replay: the same id whenever it is made. */
export const repetitionOf = (original: Delivery, replay: ReplayRecord, time: number, now: number): Delivery => ({
  ...again(original, derivedUlid(replay.createDate, replay.id, original.id), time, now),
  replay: replay.id,
});
