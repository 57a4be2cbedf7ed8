import * as z from 'zod';
import { type Situation as AnySituation, kinds } from '../kinds.ts';
import type { HitAcknowledgement } from '../rule/acknowledgement-view.ts';

/** Returns the schema of the eventType of D2: the codes of all kinds of events that have a code. */
export const eventType = (): z.ZodType<number, number> =>
  z
    .literal(Object.values(kinds).flatMap(({ code }) => (code === null ? [] : [code])))
    .meta({ type: 'integer', format: 'int32' });

export const Situation = z.enum(Object.keys(kinds) as [AnySituation, ...AnySituation[]]);
export type Situation = AnySituation;

/** The situations of a fall whose first event no rate limit may suppress, and whose failed deliveries are reported. */
export const fallAlarms: readonly Situation[] = ['fall_suspected', 'fall_detected', 'fall_detected_sensitive'];

/**
 * Events that the service creates: a sensor registers or is refused, its learning phase ends, a webhook is disabled, a
 * delivery fails, or an alarm is acknowledged, reaches nobody or is not answered.
 */
const notices = {
  registered: { type: 'sensor', action: 'registered', code: null },
  registration_refused: { type: 'sensor', action: 'registration_refused', code: null },
  learning_completed: { type: 'sensor', action: 'learning_completed', code: null },
  webhook_disabled: { type: 'webhook', action: 'disabled', code: null },
  delivery_failed: { type: 'delivery', action: 'failed', code: null },
  acknowledged: { type: 'alarm', action: 'acknowledged', code: null },
  unnotified: { type: 'alarm', action: 'unnotified', code: null },
  unanswered: { type: 'alarm', action: 'unanswered', code: null },
} as const;
export type Notice = keyof typeof notices;

/** Whether an event is about receivers. If the delivery of such an event fails, no further event follows. */
export const isAboutReceivers = ({ type }: { type: string }): boolean =>
  type === notices.webhook_disabled.type || type === notices.delivery_failed.type;

/**
 * Events that no rule can watch for: events of the service, unknown messages, late messages, messages with the UUID of
 * another message, and tests of webhooks.
 */
export const kindsWithoutRules = {
  ...notices,
  unknown: { type: 'unknown', action: 'received', code: null },
  late: { type: 'message', action: 'late', code: null },
  uuid_reused: { type: 'message', action: 'uuid_reused', code: null },
  ping: { type: 'test', action: 'ping', code: null },
} as const;

/**
 * A point in cm relative to the sensor. `z` is missing if the device did not report it; the point is then on the floor.
 */
export type Point = { x: number; y: number; z?: number };

/** The region of an event. `id` and `name` are empty for a region that only the device knows. */
export type EventRegion = { id: string; index: number; name: string };

/** The subject of an event. It is used later to find out from the sensor's state whether the situation has ended. */
export type Subject = {
  /**
   * The start (ms) of a fall. Maker A: the start in its messages. Maker B: when the track fell or last raised an alarm.
   */
  fall?: number;
  /** When (ms) the track fell, if its fall has raised another alarm since. */
  began?: number;
  isSensitive?: boolean;
  /** Maker B: the number of the track. */
  track?: number;
};

/** An event without an id, in the terms of rules and formats, independent of the sensor's maker. */
export type EventDetails = {
  situation: Situation | null;
  type: string;
  action: string;
  code: number | null;
  point: Point | null;
  region: EventRegion | null;
  isSimulated: boolean;
  /** Present only until the rules of the event are evaluated, like `newFall`. */
  isSilent?: boolean;
  /** The event is the first of its situation in a fall, so no rate limit may suppress it. */
  newFall?: boolean;
  /** Missing if the state cannot show whether the situation has ended. */
  subject?: Subject;
  /** The webhook that does not receive the event, because the event is about that webhook. */
  notTo?: string;
  /** Only in the event alarm/acknowledged. */
  acknowledgement?: HitAcknowledgement;
};

/** Returns the details of an event of a situation. */
export const eventOf = (situation: Situation, overrides: Partial<EventDetails> = {}): EventDetails => ({
  situation,
  ...kinds[situation],
  point: null,
  region: null,
  isSimulated: false,
  isSilent: false,
  newFall: false,
  ...overrides,
});

const withoutSituation = (kind: keyof typeof kindsWithoutRules): EventDetails => ({
  ...eventOf('sensor_active'),
  ...kindsWithoutRules[kind],
  situation: null,
});
export const unknownEvent = withoutSituation('unknown');
export const lateEvent = withoutSituation('late');
export const uuidReusedEvent = withoutSituation('uuid_reused');
/** Custom 1 has no code for tests, so tests use the code of an active sensor. */
export const TEST_CODE = 8;
export const pingEvent: EventDetails = { ...withoutSituation('ping'), code: TEST_CODE };
type NoticeSubject = { webhookId?: string | undefined; acknowledgement?: HitAcknowledgement | undefined };
export const noticeEvent = (notice: Notice, { webhookId, acknowledgement }: NoticeSubject): EventDetails => ({
  ...withoutSituation(notice),
  ...(webhookId !== undefined && { notTo: webhookId }),
  ...(acknowledgement && { acknowledgement }),
});

const Unit = z.number().min(0).max(1);
/** A point scaled to [0, 1] over the room (D2 Custom 1). */
export const NormalizedCoordinates = z.object({ x: Unit, y: Unit, z: Unit });
export type NormalizedCoordinates = z.infer<typeof NormalizedCoordinates>;

export const DAY = 86_400_000;
/** How long (ms) events and rule hits are stored (D1 O7). */
export const EVENT_RETENTION = 120 * DAY;

/** How far (ms) a device's clock may be ahead. */
export const TRUSTED_AHEAD = 300_000;

/** Whether a device's time (ms) is trusted: at most 24 h before and at most 5 min after the time of receipt. */
export const isTrustedTime = (deviceTime: number, received: number): boolean =>
  deviceTime >= received - DAY && deviceTime <= received + TRUSTED_AHEAD;
