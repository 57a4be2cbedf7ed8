import type { UrgentSituation } from '#shared/domain/rule/alarm.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { items } from '../table.ts';

/**
 * An alarm that reached nobody in time, or that nobody acknowledged (`isUnanswered`): the alarm of a hit or, if `hitId`
 * is null, of an event. `alarmId` is the id of the hit or the uuid of the event. `date`: when (ms) it counted as
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
  /** The claim of the process that is sending mails about the alarm, and when (ms) it lapses if that process dies. */
  claim?: string;
  claimedUntil?: number;
  /** When (ms) those who can help were first mailed, how often they were reminded, and when last. */
  mailDate?: number;
  reminders?: number;
  reminderDate?: number;
  /** When (ms) it was reported to the operators of the service. */
  reportDate?: number;
  /** Users who have received too many mails, and get a list later. */
  deferredTo?: number[];
  /** Users whose mail was not accepted, and who get a list until one is. */
  refusedTo?: number[];
  /** Webhooks of bots were supposed to notify somebody. */
  isToBots?: true;
  /** Somebody was notified, but nobody acknowledged the alarm after the last round of its escalation. */
  isUnanswered?: true;
};

export const unnotifiedKey = ({ customerId, alarmId }: Pick<UnnotifiedAlarm, 'customerId' | 'alarmId'>) =>
  items.unnotified({ customerId, alarmId });

/** Returns the mark of an alarm that webhooks of bots were supposed to notify somebody of. */
export const toBots = (messages: readonly Pick<RuleMessage, 'publisher'>[]): Pick<UnnotifiedAlarm, 'isToBots'> =>
  messages.some(({ publisher }) => publisher === 'webhook') ? { isToBots: true } : {};
