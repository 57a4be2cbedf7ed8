import { kinds, type Situation } from '../kinds.ts';
import type { Acknowledgement } from './acknowledgement-view.ts';
import type { RuleMessage } from './rule-hit.ts';

/**
 * Situations someone has to check immediately. A rule hit for such a situation is an alarm. All deliveries to the
 * customer's own webhooks together count as one more alarm, the event alarm (completion 13).
 */
export const urgentSituations = [
  'fall_detected',
  'fall_detected_sensitive',
  'apnea',
  'vital_signs_weak',
  'sensor_inactive',
] as const satisfies readonly Situation[];
export type UrgentSituation = (typeof urgentSituations)[number];

export const isUrgent = (situation: Situation | null): situation is UrgentSituation =>
  urgentSituations.some((urgent) => urgent === situation);

/** Returns the urgent situation an event is about; null if the event is not urgent. */
export const urgentSituationOf = ({ type, action }: { type: string; action: string }): UrgentSituation | null =>
  urgentSituations.find((situation) => kinds[situation].type === type && kinds[situation].action === action) ?? null;

/** Whether an alarm is about the sensor rather than the person. */
export const isAboutSensor = (situation: Situation): boolean => situation === 'sensor_inactive';

/** Whether an event is an alarm about a person. */
export const isAlarmAboutPerson = (event: { type: string; action: string }): boolean => {
  const situation = urgentSituationOf(event);
  return situation !== null && !isAboutSensor(situation);
};

/**
 * The fields that decide whether anyone was notified of an alarm. A message in the host's outbox has reached no one.
 */
export type HitProgress = {
  notifiedDate?: number;
  acknowledgement?: Acknowledgement;
  messages: readonly (Pick<RuleMessage, 'wasSend' | 'updateDate'> & { outbox?: true })[];
};

/**
 * Returns when (ms) a message first succeeded. Null if none has succeeded, or if every successful message was later
 * reported undeliverable. Hits from earlier versions have no `notifiedDate`, so it is derived from their messages.
 */
export const notifiedDateOf = ({ notifiedDate, messages }: HitProgress): number | null => {
  const sent = messages.filter(({ wasSend, outbox }) => wasSend && !outbox).map(({ updateDate }) => updateDate);
  return notifiedDate ?? (sent.length > 0 ? Math.min(...sent) : null);
};

/** Whether a hit is unacknowledged and no one was notified of it. */
export const isUnnotified = (hit: HitProgress): boolean => !hit.acknowledgement && notifiedDateOf(hit) === null;
