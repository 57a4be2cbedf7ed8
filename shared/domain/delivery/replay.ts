import * as z from 'zod';
import { derivedUlid } from '../ids.ts';
import { int32, int64, millis, uuid } from '../values.ts';
import { DELIVERY_RETENTION, type Delivery, type WebhookDelivery } from './delivery.ts';
import { restingStates } from './states.ts';

/** The states in which a delivery can be resent: it has ended or is held. */
const Replayable = z.enum(restingStates);

/** The request body for resending webhook deliveries. */
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
    id: 'ReplayCreation',
    examples: [{ since: 1_767_225_600_000, until: 1_767_312_000_000, states: ['failed', 'held'], ratePerSecond: 10 }],
  });
export type NewReplay = z.output<typeof NewReplay>;

/** The request body for pausing or resuming a replay. */
export const ReplayUpdate = z
  .object({ isPaused: z.boolean() })
  .meta({ id: 'ReplayUpdate', examples: [{ isPaused: true }] });

/** A job that resends deliveries, and its progress. */
export const Replay = z
  .object({
    id: uuid,
    webhookId: uuid,
    state: z.enum(['running', 'completed', 'canceled', 'failed']),
    isPaused: z.boolean(),
    since: millis,
    until: millis,
    total: int64.meta({
      description: 'the number of deliveries to resend; for a long time range, it grows while the replay runs',
    }),
    sent: int64,
    failed: int64,
    createDate: millis,
    updateDate: millis,
  })
  .meta({ id: 'Replay' });
export type Replay = z.output<typeof Replay>;

/** A replay as stored. */
export type ReplayRecord = Omit<Replay, 'total' | 'isPaused'> &
  Pick<NewReplay, 'states' | 'ratePerSecond'> & {
    isPaused?: boolean;
    customerId: number;
    /**
     * The number of deliveries found when the replay was created (only some of them if the time span is long), and the
     * number of redeliveries created so far.
     */
    found: number;
    made: number;
    /** The last delivery checked; null before the first. */
    cursor: string | null;
    /** The time (ms) up to which redeliveries are scheduled. */
    pacedUntil: number;
    /** All deliveries in the time span have been checked, so no more redeliveries will be created. */
    isListed: boolean;
    /** Counts steps, so that two concurrent steps have the effect of one. */
    step: number;
  };

/** Returns a replay as shown by the API. */
export const replayView = (record: ReplayRecord): Replay => ({
  ...record,
  isPaused: record.state === 'running' && record.isPaused === true,
  total: record.isListed || record.made > record.found ? record.made : record.found,
});

export const isFinished = ({ isListed, sent, failed, made }: ReplayRecord): boolean =>
  isListed && sent + failed >= made;

/**
 * Returns the replay time span (ms). It excludes deliveries newer than the replay, and those already expired when the
 * replay was created, even if they still exist.
 */
export const spanOf = (replay: Pick<Replay, 'since' | 'until' | 'createDate'>): readonly [number, number] => [
  Math.max(replay.since, replay.createDate - DELIVERY_RETENTION),
  Math.min(replay.until, replay.createDate),
];

/**
 * Whether a replay resends a delivery. Tests are left out. So are redeliveries, because their originals are in the list
 * too.
 */
export const isReplayed = (
  { states }: Pick<NewReplay, 'states'>,
  { state, replayOf, isTest }: Pick<Delivery, 'state' | 'replayOf' | 'isTest'>,
): boolean => states.some((wanted) => wanted === state) && replayOf === undefined && !isTest;

/** Returns a new delivery with another delivery's content. It is due at `time` (ms) and restarts the retry schedule. */
export const redeliveryOf = <T extends Delivery>(original: T, id: string, time: number, now: number) => ({
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
  ...(original.feedbackFrom && { feedbackFrom: original.feedbackFrom }),
  snapshot: original.snapshot,
});

/** Returns the redelivery for a delivery in a replay. The id does not depend on when the redelivery is created. */
export const replayedDelivery = (
  original: WebhookDelivery,
  replay: ReplayRecord,
  time: number,
  now: number,
): WebhookDelivery => ({
  ...redeliveryOf(original, derivedUlid(replay.createDate, replay.id, original.id), time, now),
  replay: replay.id,
});
