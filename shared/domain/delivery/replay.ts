import * as z from 'zod';
import { derivedUlid } from '../ids.ts';
import { int32, int64, millis, uuid } from '../values.ts';
import { type Delivery, KEPT, type WebhookDelivery } from './delivery.ts';
import { restingStates } from './states.ts';

/** The states of deliveries that may be sent again: those that have ended, and those that are held. */
const Replayable = z.enum(restingStates);

/** The body of a request that sends deliveries of a webhook again. */
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

/** The body of a request that pauses or continues a replay. */
export const ReplayUpdate = z
  .object({ isPaused: z.boolean() })
  .meta({ id: 'ReplayUpdate', examples: [{ isPaused: true }] });

/** A replay sends deliveries again, and shows its progress. */
export const Replay = z
  .object({
    id: uuid,
    webhookId: uuid,
    state: z.enum(['running', 'completed', 'canceled', 'failed']),
    isPaused: z.boolean(),
    since: millis,
    until: millis,
    total: int64.meta({
      description: 'how many deliveries are sent again; for a long span it grows while the replay runs',
    }),
    sent: int64,
    failed: int64,
    createDate: millis,
    updateDate: millis,
  })
  .meta({ id: 'Replay' });
export type Replay = z.output<typeof Replay>;

/** A replay as it is stored. */
export type ReplayRecord = Omit<Replay, 'total' | 'isPaused'> &
  Pick<NewReplay, 'states' | 'ratePerSecond'> & {
    isPaused?: boolean;
    customerId: number;
    /**
     * The number of deliveries found at the creation (for a long span only a part of them), and the number of
     * repetitions made so far.
     */
    found: number;
    made: number;
    /** The last delivery that was looked at. It is null before the first one. */
    cursor: string | null;
    /** The time (ms) up to which the repetitions made so far are spread. */
    pacedUntil: number;
    /** All deliveries of the span were looked at, so no further repetitions are made. */
    isListed: boolean;
    /** Counts the steps, so that two steps at the same time have the effect of one. */
    step: number;
  };

/** Gives a replay as its owner sees it. */
export const replayView = (record: ReplayRecord): Replay => ({
  ...record,
  isPaused: record.state === 'running' && record.isPaused === true,
  total: record.isListed || record.made > record.found ? record.made : record.found,
});

export const isFinished = ({ isListed, sent, failed, made }: ReplayRecord): boolean =>
  isListed && sent + failed >= made;

/**
 * Gives the span of time (ms) of a replay. Deliveries that came after its creation do not belong to it, nor those that had
 * expired by then, whether they are still there or not.
 */
export const spanOf = (replay: Pick<Replay, 'since' | 'until' | 'createDate'>): readonly [number, number] => [
  Math.max(replay.since, replay.createDate - KEPT),
  Math.min(replay.until, replay.createDate),
];

/**
 * Does a replay send a delivery again? Repetitions and tests are left out: the original of a repetition is in the list
 * itself.
 */
export const takes = (
  { states }: Pick<NewReplay, 'states'>,
  { state, replayOf, isTest }: Pick<Delivery, 'state' | 'replayOf' | 'isTest'>,
): boolean => states.some((wanted) => wanted === state) && replayOf === undefined && !isTest;

/**
 * Makes a new delivery with the content of another one. It is due at `time` (ms), and starts the retry schedule anew.
 */
export const again = <T extends Delivery>(original: T, id: string, time: number, now: number) => ({
  id,
  customerId: original.customerId,
  webhookId: original.webhookId as T['webhookId'],
  ...(original.person && { person: original.person }),
  createDate: now,
  updateDate: now,
  state: 'pending' as const,
  reason: null,
  attempts: 0,
  nextAttempt: Math.round(time),
  hit: original.hit,
  ...(original.alsoHits && { alsoHits: original.alsoHits }),
  sendTryTimes: [],
  replayOf: original.replayOf ?? original.id,
  ...(original.replayOf && { repeats: original.id }),
  ...(original.isTest && { isTest: true as const }),
  ...(original.format && { format: original.format }),
  ...(original.body !== undefined && { body: original.body }),
  snapshot: original.snapshot,
});

/** Makes the repetition of a delivery in a replay. It has the same id no matter when it is made. */
export const repetitionOf = (
  original: WebhookDelivery,
  replay: ReplayRecord,
  time: number,
  now: number,
): WebhookDelivery => ({
  ...again(original, derivedUlid(replay.createDate, replay.id, original.id), time, now),
  replay: replay.id,
});
