import type { NormalizedCoordinates } from '../event/event.ts';
import type { Format } from '../formats/format.ts';
import type { Language } from '../identity/locale.ts';
import { derivedUlid, timeOfUlid } from '../ids.ts';
import type { Acknowledged } from '../rule/acknowledgement-view.ts';
import type { Person } from '../rule/recipient.ts';
import type { Entry } from './attempt.ts';
import type { DeliveryState } from './states.ts';

/** The seconds before each attempt, the first one included. All but the first are varied by JITTER. */
export const RETRY_DELAYS = [
  0, 5, 20, 60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
const JITTER = 0.2;
/** The same for a person: five attempts within 10 minutes at the longest. Who was not told by then is told by others. */
export const PERSON_DELAYS = [0, 10, 40, 150, 300] as const;

/** The longest time for a whole attempt: DNS, connect, TLS, headers and body. A stage may set a shorter one. */
export const DEADLINE_SECONDS = 15;
/** The default of how long (s) a receiver has to answer 410, and nothing else, until its webhook is switched off. */
export const GONE_AFTER_SECONDS = 120;
/**
 * The lease of a claim. It is longer than the deadline and the writes around it; when it ends, the attempt counts as
 * lost.
 */
export const LEASE_SECONDS = 2 * DEADLINE_SECONDS;
/** For how many seconds the sweep ignores a due item whose task is in a queue. */
export const GRACE_SECONDS = 30;

/** The sending service, as payloads name it. */
export type Service = { name: string; url: string; version: string };

/** Everything that a payload is rendered from, as it was when the delivery was made. */
export type Snapshot = {
  service: Service;
  /** Missing in deliveries to people, and where the webhook went while the delivery was made. */
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
    /**
     * The uuid of the message that caused the event, from which its bytes are read. It is null if the service made the
     * event.
     */
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
  /** Only in deliveries that people read: the language of the person or the bot, and the time of the event as its home tells it. */
  reader?: Reader;
  /** Until when (s) the address that acknowledges its rule hit is good; 0: it has none. */
  acknowledgeUntil: number;
  /** What an event alarm/acknowledged tells. */
  acknowledgement?: Acknowledged;
};
export type Reader = { language: Language; time: string };

/** A rule hit and the place of one of its rule messages. There may be none: a step may tell more than the hit has room for. */
export type HitMessage = { id: number; message: number };

export type Delivery = {
  id: string;
  customerId: number;
  /** Null: it is for a person. */
  webhookId: string | null;
  /** It is of a step of an escalation: it is not sent once somebody has acknowledged its hit. */
  isStep?: true;
  person?: Person;
  createDate: number;
  updateDate: number;
  state: DeliveryState;
  reason: string | null;
  attempts: number;
  nextAttempt: number | null;
  /** The rule hit and the rule message that get the result of this delivery. */
  hit: HitMessage | null;
  /**
   * Further rule messages that get the result: a Raw webhook gets a message once, even if several rules fire for it.
   */
  alsoHits?: HitMessage[];
  sendTryTimes: number[];
  /** The log of attempts; missing before the first attempt has ended. */
  log?: Entry[];
  /** The delivery that this one repeats. Its receiver sees the same `webhook-id`. */
  replayOf?: string;
  /** The delivery that was asked to be sent again, if that was a repetition itself. Then `replayOf` is the original. */
  repeats?: string;
  /** The replay that this delivery belongs to. */
  replay?: string;
  /** Set while the delivery is held: when (ms) it ends unsent. */
  heldUntil?: number;
  /** The delivery is a test of the webhook. */
  isTest?: true;
  /** The format of the webhook when the delivery was made. It is missing in what is not rendered: `body`, and letters. */
  format?: Format;
  /**
   * The `X-Request-Id` of the API call that the delivery follows from, for logs. Tasks carry it; the delivery stores it
   * only while it waits without a task.
   */
  requestId?: string;
  snapshot: Snapshot;
  /** The body of a delivery that is of no event: feedback for the maker. All others are rendered from their snapshot. */
  body?: string;
};

/** A delivery to a webhook. */
export type WebhookDelivery = Delivery & { webhookId: string };

/** Gives the uuid of the message that a delivery is about, and the uuid of the event if the service made the event. */
export const messageOf = ({ event }: Snapshot): string => event.source ?? event.uuid;

const DAY = 86_400_000;
/** How long (ms) deliveries are kept. */
export const KEPT = 30 * DAY;

/** How long (ms) a delivery is held for a webhook that is switched off. */
export const HELD_FOR = 14 * DAY;
/** Until when (ms) a delivery is held from now on: always for a shorter time than it is kept. */
export const heldUntil = (deliveryId: string, now: number): number =>
  Math.min(now + HELD_FOR, timeOfUlid(deliveryId) + KEPT - DAY);

/** Milliseconds between the releases of two held deliveries of a webhook. */
export const RELEASE_EVERY = 100;
/** How far ahead (ms) releases are planned at most, so that switching the webhook off again takes effect. */
export const RELEASE_AHEAD = 60_000;

/** What tells the receiver of a delivery from any other: the id of a webhook, or the user and the way, with a space between. */
export const receiverOf = ({ webhookId, person }: Pick<Delivery, 'webhookId' | 'person'>): string =>
  webhookId ?? `${person?.userId} ${person?.by}`;
/** The webhook that a receiver is; null: it is a person. */
export const webhookOf = (receiver: string): string | null => (receiver.includes(' ') ? null : receiver);

/**
 * Derives the id of the delivery for an event, a receiver and a rule, so that writing it twice does no harm. `rounds`: the
 * number of its round, where the rule escalates; then `receiveDate` is when that was due.
 */
export const deliveryId = (
  event: { receiveDate: number; uuid: string; sensorId: string },
  receiver: string,
  ruleId: number,
  ...rounds: readonly number[]
) => derivedUlid(event.receiveDate, event.sensorId, event.uuid, receiver, ruleId, ...rounds);

/** The result of one attempt: accepted, gone for good, or failed, with the seconds that the target asked to wait. */
export type AttemptOutcome =
  | { what: 'accepted'; acknowledgedBy?: string }
  | { what: 'gone' }
  | { what: 'failed'; isOverloaded: boolean; retryAfterSeconds: number };

/** A failure after which the retry schedule alone decides. */
export const plainFailure = {
  what: 'failed',
  isOverloaded: false,
  retryAfterSeconds: 0,
} as const satisfies AttemptOutcome;

export type Next =
  | { state: 'delivered' }
  | { state: 'failed'; reason: 'gone' | 'exhausted' | 'not_reachable' | 'limit_reached' | 'canceled' }
  | { state: 'retrying'; nextAttempt: number };

/** A delay in seconds with a jitter of 20 % more or less. `random` is in [0, 1). */
export const varied = (seconds: number, random: number): number => seconds * (1 - JITTER + 2 * JITTER * random);

const waitSeconds = (
  failed: number,
  { isOverloaded, retryAfterSeconds }: Extract<AttemptOutcome, { what: 'failed' }>,
  schedule: readonly number[] | null,
  random: number,
) => {
  const step = (schedule ?? RETRY_DELAYS)[failed] ?? 0;
  const delay = schedule === null && isOverloaded && failed >= 3 ? Math.max(60, step) : step;
  const honoured = Math.min(retryAfterSeconds, Math.max(2 * step, 3_600));
  return honoured > delay ? honoured : varied(delay, random);
};

/**
 * Gives what follows an attempt. `attempts` counts the attempts, this one included; `schedule` is that of the webhook
 * or the stage (null: RETRY_DELAYS); `random` is in [0, 1).
 */
export const afterAttempt = (
  attempts: number,
  outcome: AttemptOutcome,
  schedule: readonly number[] | null,
  { now, random }: { now: number; random: number },
): Next => {
  if (outcome.what === 'accepted') return { state: 'delivered' };
  if (outcome.what === 'gone') return { state: 'failed', reason: 'gone' };
  if (attempts >= (schedule ?? RETRY_DELAYS).length) return { state: 'failed', reason: 'exhausted' };
  const wait = waitSeconds(attempts, outcome, schedule, random);
  return { state: 'retrying', nextAttempt: now + Math.round(wait * 1_000) };
};
