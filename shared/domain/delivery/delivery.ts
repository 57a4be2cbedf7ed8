import type { NormalizedCoordinates } from '../event/event.ts';
import type { Format } from '../formats/format.ts';
import type { Language } from '../identity/language.ts';
import { derivedUlid, timeOfUlid } from '../ids.ts';
import type { HitAcknowledgement } from '../rule/acknowledgement-view.ts';
import type { Person } from '../rule/recipient.ts';
import type { PackedAttempt } from './attempt.ts';
import type { DeliveryState } from './states.ts';

/** The delay (s) before each attempt, including the first. JITTER applies to every delay but the first. */
export const RETRY_DELAYS = [
  0, 5, 20, 60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
const JITTER = 0.2;
/** The delay (s) before each attempt to reach a person: five within 10 minutes. By then, others have been notified. */
export const PERSON_DELAYS = [0, 10, 40, 150, 300] as const;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/**
 * Returns the delay (s) before a retry after a failure that only the host operator can fix: a quarter of the delivery
 * age (s), at most an hour on the first day, then a day. A rule hit stores every attempt for up to 300 messages, so a
 * delivery makes fewer than 80 attempts.
 */
const hostDelay = (attempts: number, age: number): number =>
  age > DAY_SECONDS ? DAY_SECONDS : Math.max(PERSON_DELAYS[attempts] ?? 60, Math.min(age / 4, HOUR_SECONDS));

/** The deadline (s) for a whole attempt: DNS, connect, TLS, headers and body. A stage may set a shorter one. */
export const DEADLINE_SECONDS = 15;
/** How long (s) a receiver must keep responding with 410 before the webhook is disabled, by default. */
export const GONE_AFTER_SECONDS = 120;
/**
 * The lease (s) on a claim. It is longer than an attempt takes, including all writes. When the lease ends, the attempt
 * counts as lost.
 */
export const LEASE_SECONDS = 2 * DEADLINE_SECONDS;
/** How long (s) the sweep leaves a due item alone, because a task is already queued. */
export const GRACE_SECONDS = 30;

/** The sending service, as named in payloads. */
export type Service = { name: string; url: string; version: string };

/** Everything needed to render a payload, as it was when the delivery was created. */
export type Snapshot = {
  service: Service;
  /** Missing in deliveries to people, or if the webhook was deleted while the delivery was being created. */
  webhook?: { name: string; isCustomerHook?: true };
  event: {
    id: number;
    uuid: string;
    createDate: number;
    type: string;
    action: string;
    code: number | null;
    coordinates: NormalizedCoordinates | null;
    text: string;
    /** The uuid of the message behind the event, needed to read its bytes. Null if the service created the event. */
    source: string | null;
  };
  sensor: { id: string; deviceId: string; name: string; groupId: number };
  customer: { id: number; name: string; location: string } | null;
  rule: {
    id: number;
    createDate: number;
    name: string;
    title: string;
    message: string;
    groupId: number;
    situation: string;
    hasRegion: boolean;
    regionIndex: number;
    regionName: string;
  } | null;
  /** Only in deliveries read by people: the language of the person or bot, and the local event time. */
  reader?: Reader;
  /** When (s since the epoch) the acknowledgement link expires; 0 without a link. */
  acknowledgeUntil: number;
  /** Only in the alarm/acknowledged event. */
  acknowledgement?: HitAcknowledgement;
};
/** `hasPlainNames`: names in the rule title and message are split (formats/plain-text.ts). */
export type Reader = { language: Language; time: string; hasPlainNames?: true };

/**
 * A rule hit, and the index of one rule message in it. The hit may lack that message, because a step can have more
 * recipients than the hit stores.
 */
export type HitMessage = { id: number; message: number };

export type Delivery = {
  id: string;
  customerId: number;
  /** Null if the receiver is a person. */
  webhookId: string | null;
  /** The delivery belongs to an escalation step: it is not sent if the hit has been acknowledged. */
  isStep?: true;
  person?: Person;
  createDate: number;
  updateDate: number;
  state: DeliveryState;
  reason: string | null;
  attempts: number;
  nextAttempt: number | null;
  /** The rule hit and rule message where the delivery result is recorded. */
  hit: HitMessage | null;
  /** Other rule messages to record the result in. A Raw webhook gets each message once, even if several rules fire. */
  alsoHits?: HitMessage[];
  sendTryTimes: number[];
  /**
   * The number of attempts made early because the receiver had recovered. They do not count toward the retry schedule.
   */
  earlyAttempts?: number;
  /** The time (ms) until which the receiver asked for no more requests, according to the latest Retry-After header. */
  retryAfterDate?: number;
  /** The attempt log; missing until the first attempt ends. */
  log?: PackedAttempt[];
  /** For a redelivery, the original delivery. The receiver sees the same `webhook-id`. */
  replayOf?: string;
  /** The resent delivery, if it was itself a redelivery. `replayOf` is then the original. */
  repeats?: string;
  /** The replay this delivery belongs to. */
  replay?: string;
  /** When (ms) the delivery expires; set only while it is held. */
  heldUntil?: number;
  /** The delivery is a webhook test. */
  isTest?: true;
  /**
   * The webhook format when the delivery was created. Missing in deliveries with a `body`, and in deliveries to people.
   */
  format?: Format;
  /**
   * The `X-Request-Id` of the API request behind the delivery, for logs. Tasks carry it. The delivery stores it only
   * while it has no task.
   */
  requestId?: string;
  snapshot: Snapshot;
  /** For feedback to the maker, who gave it. Missing in feedback from earlier code versions. */
  feedbackFrom?: { customerId: number; userId: number };
  /**
   * The body of a delivery without an event: feedback for the maker. All other bodies are rendered from the snapshot.
   */
  body?: string;
};

/** A delivery to a webhook. */
export type WebhookDelivery = Delivery & { webhookId: string };

/** Whether this is an event's first delivery: not a test, feedback or a redelivery. */
export const isFirstDelivery = ({
  isTest,
  body,
  replayOf,
  replay,
}: Pick<Delivery, 'isTest' | 'body' | 'replayOf' | 'replay'>): boolean =>
  !isTest && body === undefined && replayOf === undefined && replay === undefined;

/** Returns the uuid of the message behind a delivery, or the event uuid if the service created the event. */
export const messageUuidOf = ({ event }: Snapshot): string => event.source ?? event.uuid;

const DAY = 86_400_000;
/** How long (ms) deliveries are kept. */
export const DELIVERY_RETENTION = 30 * DAY;

/** How long (ms) a delivery is held for a disabled webhook. */
export const MAX_HOLD = 14 * DAY;
/** Returns when (ms) a delivery expires if it is held from now on, which is at least a day before it is deleted. */
export const heldUntil = (deliveryId: string, now: number): number =>
  Math.min(now + MAX_HOLD, timeOfUlid(deliveryId) + DELIVERY_RETENTION - DAY);

/** The interval (ms) between releases of deliveries held for a webhook. */
export const RELEASE_INTERVAL = 100;
/** How far ahead (ms) releases may be scheduled. Limited so that disabling the webhook again takes effect soon. */
export const MAX_RELEASE_AHEAD = 60_000;

/** Returns the receiver key for a delivery: the webhook id, or the user id, a space and the channel. */
export const receiverKey = ({ webhookId, person }: Pick<Delivery, 'webhookId' | 'person'>): string =>
  webhookId ?? `${person?.userId} ${person?.by}`;
/** Returns the webhook id in a receiver key; null for a person. */
export const webhookOfReceiver = (receiver: string): string | null => (receiver.includes(' ') ? null : receiver);

/**
 * Derives the delivery id for an event, receiver and rule, so that writing the same delivery twice has no effect. If
 * the rule escalates, `rounds` is the round number, and `receiveDate` is when the round was due.
 */
export const deliveryId = (
  event: { receiveDate: number; uuid: string; sensorId: string },
  receiver: string,
  ruleId: number,
  ...rounds: readonly number[]
) => derivedUlid(event.receiveDate, event.sensorId, event.uuid, receiver, ruleId, ...rounds);

/** The outcome of one attempt: accepted, permanently gone, or failed with the Retry-After delay (s). */
export type AttemptOutcome =
  | { what: 'accepted'; acknowledgedBy?: string }
  | { what: 'gone' }
  | { what: 'failed'; retryAfterSeconds: number };

/** A failure without Retry-After: only the retry schedule applies. */
export const plainFailure = {
  what: 'failed',
  retryAfterSeconds: 0,
} as const satisfies AttemptOutcome;

/** Why a delivery to a person failed although the service had accepted the message. */
export const UNDELIVERABLE = 'undeliverable';

export type NextState =
  | { state: 'delivered' }
  | { state: 'failed'; reason: 'gone' | 'exhausted' | 'not_reachable' | 'limit_reached' | 'canceled' }
  | { state: 'retrying'; nextAttempt: number; retryAfterDate?: number };

/** The shortest time (ms) between a failed early attempt and the next attempt. */
const EARLY_PAUSE = 5_000;

/** Returns a delay (s) with ±20% jitter. `random` is in [0, 1). */
export const withJitter = (seconds: number, random: number): number => seconds * (1 - JITTER + 2 * JITTER * random);

/**
 * Returns the delays (s) after a failure: what the receiver asked for (0 if nothing), and how long to wait before the
 * next attempt.
 */
const delaysAfter = (
  failed: number,
  { retryAfterSeconds }: Extract<AttemptOutcome, { what: 'failed' }>,
  schedule: readonly number[] | null,
  random: number,
) => {
  const delay = (schedule ?? RETRY_DELAYS)[failed] ?? 0;
  const requested = Math.min(retryAfterSeconds, Math.max(2 * delay, 3_600));
  // Jitter must not shorten a delay to less than the receiver asked for.
  return { requested, wait: requested > delay ? requested : Math.max(requested, withJitter(delay, random)) };
};

/** Returns the next delivery state after a host failure. Retries end a day before the delivery is deleted. */
export const nextStateAfterHostFailure = (
  { id, attempts }: Pick<Delivery, 'id' | 'attempts'>,
  { now, random }: { now: number; random: number },
): NextState => {
  const delay = withJitter(hostDelay(attempts, (now - timeOfUlid(id)) / 1_000), random);
  const nextAttempt = now + Math.round(delay * 1_000);
  return nextAttempt > timeOfUlid(id) + DELIVERY_RETENTION - DAY
    ? { state: 'failed', reason: 'exhausted' }
    : { state: 'retrying', nextAttempt };
};

/**
 * Returns the next delivery state after an attempt. `attempts` includes this attempt, but not early ones. `schedule` is
 * the retry schedule for the webhook or stage (null: RETRY_DELAYS); `random` is in [0, 1). `planned` is set only for an
 * early attempt, and is when (ms) the schedule plans the next attempt. If the early attempt fails, the delivery returns
 * to its place in the schedule.
 */
export const nextStateAfter = (
  attempts: number,
  outcome: AttemptOutcome,
  schedule: readonly number[] | null,
  { now, random, planned = null }: { now: number; random: number; planned?: number | null },
): NextState => {
  if (outcome.what === 'accepted') return { state: 'delivered' };
  if (outcome.what === 'gone') return { state: 'failed', reason: 'gone' };
  if (planned === null && attempts >= (schedule ?? RETRY_DELAYS).length)
    return { state: 'failed', reason: 'exhausted' };
  const { requested, wait } = delaysAfter(attempts, outcome, schedule, random);
  const retryAfterDate = now + requested * 1_000;
  const nextAttempt =
    planned === null ? now + Math.round(wait * 1_000) : Math.max(planned, retryAfterDate, now + EARLY_PAUSE);
  return { state: 'retrying', nextAttempt, ...(requested > 0 && { retryAfterDate }) };
};
