import type { Entry } from './attempt.ts';
import type { NormalizedCoordinates } from './event.ts';
import type { Format } from './formats/format.ts';
import { derivedUlid, timeOfUlid } from './ids.ts';

/** Seconds before each attempt, the first included; each but the first is varied by JITTER. */
export const RETRY_DELAYS = [
  0, 5, 20, 60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
] as const;
const JITTER = 0.2;

/** One deadline over a whole attempt: DNS, connect, TLS, headers and body. */
export const DEADLINE_SECONDS = 15;
/** A claim outlasts the deadline and the write after it; when it lapses, the attempt counts as lost. */
export const LEASE_SECONDS = 30;
/** How long the sweep leaves what is due to the task that was put on a queue for it. */
export const GRACE_SECONDS = 30;

export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'retrying' | 'held' | 'failed';

/** The sending service, as payloads name it. */
export type Service = { name: string; url: string; version: string };

/** What a payload is rendered from: everything that it says, as it was when the delivery was made. */
export type Snapshot = {
  /** Both are missing in those from before they were kept here. */
  service?: Service;
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
    /** The uuid of the message that caused it; its bytes are read from there. Null: the service made the event. */
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
};

/** A rule hit, and which of its rule messages. */
export type HitMessage = { id: number; message: number };

export type Delivery = {
  id: string;
  customerId: number;
  webhookId: string;
  createDate: number;
  updateDate: number;
  state: DeliveryState;
  reason: string | null;
  attempts: number;
  nextAttempt: number | null;
  /** The rule hit to report to, and which of its rule messages this is. */
  hit: HitMessage | null;
  /** Further ones: a Raw webhook gets a message once, whichever rules it is for. */
  alsoHits?: HitMessage[];
  sendTryTimes: number[];
  /** What came of the attempts; none before the first has ended. */
  log?: Entry[];
  /** The delivery that this one repeats: its receiver sees the same `webhook-id`. */
  replayOf?: string;
  /** What it was to repeat, when that was a repetition itself. */
  repeats?: string;
  /** The replay that it belongs to. */
  replay?: string;
  /** Set while it is held: it ends then (ms). */
  heldUntil?: number;
  /** A test of the webhook. */
  isTest?: true;
  /** That of the webhook when it was made, which can tell of this event. Not in those from before it was kept here. */
  format?: Format;
  snapshot: Snapshot;
};

const DAY = 86_400_000;
/** Deliveries, and with them what a receiver got, are kept this long, ms. */
export const KEPT = 30 * DAY;

/** Until when (ms) a delivery is held from now on: 14 days, and always less than it is kept. */
export const heldUntil = (deliveryId: string, now: number): number =>
  Math.min(now + 14 * DAY, timeOfUlid(deliveryId) + KEPT - DAY);

/** Held deliveries are released so many ms apart, */
export const RELEASE_EVERY = 100;
/** and no more ahead of their time than this (ms), so that a change of mind takes effect. */
export const RELEASE_AHEAD = 60_000;

/** One delivery for each event, webhook and rule: deriving its id makes writing it twice harmless. */
export const deliveryId = (
  event: { receiveDate: number; uuid: string; sensorId: string },
  webhookId: string,
  ruleId: number,
) => derivedUlid(event.receiveDate, event.sensorId, event.uuid, webhookId, ruleId);

/** What came of one attempt: taken, refused for good, or to be tried again, after so many seconds if the target asked. */
export type Outcome =
  | { what: 'accepted' }
  | { what: 'gone' }
  | { what: 'failed'; isOverloaded: boolean; retryAfterSeconds: number };

export type Next =
  | { state: 'delivered' }
  | { state: 'failed'; reason: 'gone' | 'exhausted' }
  | { state: 'retrying'; nextAttempt: number };

/** Seconds as they are waited for: 20 % more or less. `random` is in [0, 1). */
export const varied = (seconds: number, random: number): number => seconds * (1 - JITTER + 2 * JITTER * random);

const waitSeconds = (
  failed: number,
  { isOverloaded, retryAfterSeconds }: Extract<Outcome, { what: 'failed' }>,
  schedule: readonly number[],
  builtIn: boolean,
  random: number,
) => {
  const step = schedule[failed] ?? 0;
  const patient = builtIn && isOverloaded && failed >= 3 ? Math.max(60, step) : step;
  const honoured = Math.min(retryAfterSeconds, Math.max(2 * step, 3_600));
  return honoured > patient ? honoured : varied(patient, random);
};

/**
 * What follows an attempt: `attempts` counts it, `schedule` is the webhook's or stage's own (null: the retry schedule above),
 * `random` is in [0, 1).
 */
export const afterAttempt = (
  attempts: number,
  outcome: Outcome,
  schedule: readonly number[] | null,
  now: number,
  random: number,
): Next => {
  if (outcome.what === 'accepted') return { state: 'delivered' };
  if (outcome.what === 'gone') return { state: 'failed', reason: 'gone' };
  const delays = schedule ?? RETRY_DELAYS;
  if (attempts >= delays.length) return { state: 'failed', reason: 'exhausted' };
  const wait = waitSeconds(attempts, outcome, delays, schedule === null, random);
  return { state: 'retrying', nextAttempt: now + Math.round(wait * 1_000) };
};
