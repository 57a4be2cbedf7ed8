import * as z from 'zod';
import { type Situation as AnySituation, kinds } from '../kinds.ts';
import type { HitAcknowledgement } from '../rule/acknowledgement-view.ts';

/** Returns the schema for the D2 eventType: the codes of all event kinds that have one. */
export const eventType = (): z.ZodType<number, number> =>
  z
    .literal(Object.values(kinds).flatMap(({ code }) => (code === null ? [] : [code])))
    .meta({ type: 'integer', format: 'int32' });

export const Situation = z.enum(Object.keys(kinds) as [AnySituation, ...AnySituation[]]);
export type Situation = AnySituation;

/** Fall situations whose first event is never suppressed by a rate limit, and whose failed deliveries are reported. */
export const fallAlarms: readonly Situation[] = ['fall_suspected', 'fall_detected', 'fall_detected_sensitive'];

/**
 * Events created by the service: a sensor registers or is refused, a learning phase ends, a webhook is disabled, a
 * delivery fails, or an alarm is acknowledged, reaches no one or is not answered.
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

/** Whether an event is about receivers. If delivering such an event fails, no further event follows. */
export const isAboutReceivers = ({ type }: { type: string }): boolean =>
  type === notices.webhook_disabled.type || type === notices.delivery_failed.type;

/**
 * Events no rule can watch for: service events, unknown messages, late messages, messages with a reused UUID, and
 * webhook tests.
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

/** An event's region. `id` and `name` are empty if only the device knows the region. */
export type EventRegion = { id: string; index: number; name: string };

/** What an event is about, used later to determine from the sensor state whether the situation has ended. */
export type Subject = {
  /**
   * When (ms) the fall started. Maker A: the start in the messages. Maker B: when the track fell or last raised an
   * alarm.
   */
  fall?: number;
  /** When (ms) the track fell, if the fall has raised another alarm since. */
  began?: number;
  isSensitive?: boolean;
  /** Maker B: the track number. */
  track?: number;
};

/** An event without an id, described in terms used by rules and formats, whichever maker the sensor is from. */
export type EventDetails = {
  situation: Situation | null;
  type: string;
  action: string;
  code: number | null;
  point: Point | null;
  region: EventRegion | null;
  isSimulated: boolean;
  /** Present only until the rules are evaluated, like `newFall`. */
  isSilent?: boolean;
  /** The event is the first with this situation in a fall, so no rate limit may suppress it. */
  newFall?: boolean;
  /** Missing if the state cannot show whether the situation has ended. */
  subject?: Subject;
  /** The webhook the event is about. It does not receive the event. */
  notTo?: string;
  /** Only in the alarm/acknowledged event. */
  acknowledgement?: HitAcknowledgement;
};

/** Returns the event details for a situation. */
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
/** Custom 1 has no test code, so tests use the code for an active sensor. */
export const TEST_CODE = 8;
export const pingEvent: EventDetails = { ...withoutSituation('ping'), code: TEST_CODE };
type NoticeSubject = { webhookId?: string | undefined; acknowledgement?: HitAcknowledgement | undefined };
export const noticeEvent = (notice: Notice, { webhookId, acknowledgement }: NoticeSubject): EventDetails => ({
  ...withoutSituation(notice),
  ...(webhookId !== undefined && { notTo: webhookId }),
  ...(acknowledgement && { acknowledgement }),
});

const Unit = z.number().min(0).max(1);
/** A point scaled to [0, 1] across the room (D2 Custom 1). */
export const NormalizedCoordinates = z.object({ x: Unit, y: Unit, z: Unit });
export type NormalizedCoordinates = z.infer<typeof NormalizedCoordinates>;

export const DAY = 86_400_000;
/** How long (ms) events and rule hits are stored (D1 O7). */
export const EVENT_RETENTION = 120 * DAY;

/** How far (ms) ahead a device clock may be. */
export const TRUSTED_AHEAD = 300_000;

/** Whether a device time (ms) is trusted: at most 24 h before and 5 min after the time of receipt. */
export const isTrustedTime = (deviceTime: number, received: number): boolean =>
  deviceTime >= received - DAY && deviceTime <= received + TRUSTED_AHEAD;
