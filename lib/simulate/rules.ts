import type { RuleCreation } from '#openapi';
import { TIME_ZONE } from './local-time.ts';

/** An event as `type/action`, as in webhooks and lists. */
export type Kind =
  | 'sensor/active'
  | 'sensor/inactive'
  | 'presence/occupied_room'
  | 'presence/empty_room'
  | 'bed/entered'
  | 'bed/left'
  | 'door/entered'
  | 'door/left'
  | 'fall/fall_suspected'
  | 'fall/confirmed'
  | 'fall/fall_detected'
  | 'fall/finished'
  | 'fall/canceled'
  | 'vital/heart_rate_high';

/** The alarm recipients, with their webhook formats. Each has a bot and a webhook. */
export const listeners = { nurse: 'full', pager: 'custom1', housekeeping: 'full', technician: 'full' } as const;
export type Listener = keyof typeof listeners;

type Situation = RuleCreation['situation'];
/** A rule in the home, fired by events of this `kind`. */
export type HomeRule = {
  name: string;
  situation: Situation;
  kind: Kind;
  /** All sensors, a group, the first sensor, or the bed in the first sensor's room. */
  scope: 'home' | 'group' | 'first' | 'first_bed';
  isNightly: boolean;
  rateLimitSeconds: number;
  recipients: readonly Listener[];
};

export const night = { days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '06:00', timeZone: TIME_ZONE };
/** Whether a sensor is in the group, which has at most 100 sensors, from both makers. */
export const isInGroup = (sensor: number): boolean => sensor < 200 && sensor % 4 < 2;

const rule = (situation: Situation, kind: Kind, recipients: Listener[], more: Partial<HomeRule> = {}): HomeRule => ({
  name: `${situation}, ${more.scope ?? 'home'}`,
  situation,
  kind,
  recipients,
  scope: 'home',
  isNightly: false,
  rateLimitSeconds: 60,
  ...more,
});

const HOUR = 3_600;
/** Rules for falls, beds, rooms, doors, vital signs and sensors, covering every scope, day and night. */
export const homeRules: readonly HomeRule[] = [
  rule('fall_detected', 'fall/fall_detected', ['nurse', 'pager'], { rateLimitSeconds: 24 * HOUR }),
  rule('fall_suspected', 'fall/fall_suspected', ['nurse'], { scope: 'group' }),
  rule('bed_left', 'bed/left', ['nurse'], { scope: 'group', isNightly: true }),
  rule('bed_entered', 'bed/entered', ['housekeeping'], { scope: 'first_bed', rateLimitSeconds: 0 }),
  rule('occupied_room', 'presence/occupied_room', ['housekeeping'], { scope: 'first' }),
  rule('empty_room', 'presence/empty_room', ['housekeeping'], { scope: 'group', rateLimitSeconds: 5 * HOUR }),
  rule('door_entered', 'door/entered', ['housekeeping'], { rateLimitSeconds: HOUR }),
  rule('heart_rate_high', 'vital/heart_rate_high', ['nurse']),
  rule('sensor_inactive', 'sensor/inactive', ['technician'], { rateLimitSeconds: 2 * HOUR }),
];
