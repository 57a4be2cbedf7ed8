import type { UrgentSituation } from '#shared/domain/rule/alarm.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { items } from '../table.ts';

/**
 * An alarm that reached nobody in time, or that nobody acknowledged (`isUnanswered`): that of a hit, or (`hitId` null)
 * that of an event. `alarmId` is the id of the hit or the uuid of the event. `date`: when (ms) it counted as
 * unnotified.
 */
export type UnnotifiedAlarm = {
  alarmId: string;
  customerId: number;
  sensorId: string;
  situation: UrgentSituation;
  eventUuid: string;
  /** The key of the fall that the event is about. */
  fall?: string;
  hitId: number | null;
  ruleId: number | null;
  webhookIds: string[];
  createDate: number;
  date: number;
  /** Everything that follows at once has been done. */
  isHandled?: true;
  /** Who is mailing about it, until when (ms). Lapses if that process dies. */
  claim?: string;
  claimedUntil?: number;
  /** When (ms) those who can help were mailed first; then how often they were reminded, and when the last time. */
  mailDate?: number;
  reminders?: number;
  reminderDate?: number;
  /** When (ms) it was reported to the operators of the service. */
  reportDate?: number;
  /** Users who had too many mails, and get a list later. */
  deferredTo?: number[];
  /** Users whose mail was not accepted, and who get a list until one is. */
  refusedTo?: number[];
  /** Webhooks of bots were to notify somebody. */
  isToBots?: true;
  /** Somebody was notified, but nobody acknowledged the alarm after the last round of its escalation. */
  isUnanswered?: true;
};

export const unnotifiedKey = ({ customerId, alarmId }: Pick<UnnotifiedAlarm, 'customerId' | 'alarmId'>) =>
  items.unnotified({ customerId, alarmId });

/** Returns the mark of an alarm that webhooks of bots were to notify somebody of. */
export const toBots = (messages: readonly Pick<RuleMessage, 'publisher'>[]): Pick<UnnotifiedAlarm, 'isToBots'> =>
  messages.some(({ publisher }) => publisher === 'webhook') ? { isToBots: true } : {};
