import * as z from 'zod';
import { type Situation as AnySituation, kinds } from '../kinds.ts';
import type { Acknowledged } from '../rule/acknowledgement-view.ts';

/** Makes the schema of the eventType of D2: the codes of all kinds that have one. */
export const eventType = (): z.ZodType<number, number> =>
  z
    .literal(Object.values(kinds).flatMap(({ code }) => (code === null ? [] : [code])))
    .meta({ type: 'integer', format: 'int32' });

export const Situation = z.enum(Object.keys(kinds) as [AnySituation, ...AnySituation[]]);
export type Situation = AnySituation;

/** The situations of a fall whose first event no rate limit may suppress, and whose delivery must not fail unheard. */
export const fallAlarms: readonly Situation[] = ['fall_suspected', 'fall_detected', 'fall_detected_sensitive'];

/**
 * Events that the service makes by itself: when a sensor registers or is refused, when its learning phase is over, when
 * what a sensor said does not get through to a receiver, and when somebody takes care of an alarm.
 */
const notices = {
  registered: { type: 'sensor', action: 'registered', code: null },
  registration_refused: { type: 'sensor', action: 'registration_refused', code: null },
  learning_completed: { type: 'sensor', action: 'learning_completed', code: null },
  webhook_disabled: { type: 'webhook', action: 'disabled', code: null },
  delivery_failed: { type: 'delivery', action: 'failed', code: null },
  acknowledged: { type: 'alarm', action: 'acknowledged', code: null },
} as const;
export type Notice = keyof typeof notices;

/** Is it an event about receivers? What is said of those must not be said of such an event in turn. */
export const isAboutReceivers = ({ type }: { type: string }): boolean =>
  type === notices.webhook_disabled.type || type === notices.delivery_failed.type;

/** Events that no rule can watch for: registrations, the end of learning, a message of unknown kind or too late, and the test of a webhook. */
export const otherKinds = {
  ...notices,
  unknown: { type: 'unknown', action: 'received', code: null },
  late: { type: 'message', action: 'late', code: null },
  ping: { type: 'test', action: 'ping', code: null },
} as const;

/** A point in cm relative to the sensor. `z` is missing if the device did not say it; the point is on the floor then. */
export type Point = { x: number; y: number; z?: number };

/** The region of an event. `id` and `name` are empty for a region that only the device knows. */
export type EventRegion = { id: string; index: number; name: string };

/** What an event is about, as the state of its sensor knows it later: by this it is known whether what happened is over. */
export type Subject = {
  /** The start (ms) of a fall: of maker A as its messages say, of maker B when its track fell. */
  fall?: number;
  isSensitive?: boolean;
  /** Maker B: the number of the track. */
  track?: number;
};

/** An event without an id, in terms of rules and formats, independent of the sensor's maker. */
export type EventDetails = {
  situation: Situation | null;
  type: string;
  action: string;
  code: number | null;
  point: Point | null;
  region: EventRegion | null;
  isSimulated: boolean;
  isSilent: boolean;
  /** This is the first event of its situation in a fall, so no rate limit may suppress it. */
  newFall: boolean;
  /** Missing where the state does not know it later. */
  subject?: Subject;
  /** The webhook that is not told of it, because it is about that one. */
  notTo?: string;
  /** Who takes care of which hit, when the event tells that. */
  acknowledgement?: Acknowledged;
};

/** The details of an event of a situation. */
export const eventOf = (situation: Situation, more: Partial<EventDetails> = {}): EventDetails => ({
  situation,
  ...kinds[situation],
  point: null,
  region: null,
  isSimulated: false,
  isSilent: false,
  newFall: false,
  ...more,
});

const nameless = (kind: keyof typeof otherKinds): EventDetails => ({
  ...eventOf('sensor_active'),
  ...otherKinds[kind],
  situation: null,
});
export const unknownEvent = nameless('unknown');
export const lateEvent = nameless('late');
/** Custom 1 has no code for tests, so a test has the code of an active sensor. */
export const TEST_CODE = 8;
export const pingEvent: EventDetails = { ...nameless('ping'), code: TEST_CODE };
type About = { webhookId?: string | undefined; acknowledgement?: Acknowledged | undefined };
export const noticeEvent = (notice: Notice, { webhookId, acknowledgement }: About): EventDetails => ({
  ...nameless(notice),
  ...(webhookId !== undefined && { notTo: webhookId }),
  ...(acknowledgement && { acknowledgement }),
});

const Unit = z.number().min(0).max(1);
/** A point scaled to [0, 1] over the room (D2 Custom 1). */
export const NormalizedCoordinates = z.object({ x: Unit, y: Unit, z: Unit });
export type NormalizedCoordinates = z.infer<typeof NormalizedCoordinates>;

export const DAY = 86_400_000;
/** How long (ms) events and rule hits are stored and shown (D1 O7). */
export const RETENTION = 120 * DAY;

/** Is a device's time (ms) believed? It is if it is at most 24 h before or 5 min after the time of receipt. */
export const isBelieved = (deviceTime: number, received: number): boolean =>
  deviceTime >= received - DAY && deviceTime <= received + 5 * 60_000;
