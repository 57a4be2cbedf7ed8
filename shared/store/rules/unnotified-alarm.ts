import type { UrgentSituation } from '#shared/domain/rule/alarm.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { items } from '../table.ts';

/**
 * An alarm that did not reach anyone in time, or that no one acknowledged (`isUnanswered`). It is for a hit or, if
 * `hitId` is null, for an event. `alarmId` is the hit id or the event uuid. `date`: when (ms) it counted as unnotified.
 */
export type UnnotifiedAlarm = {
  alarmId: string;
  customerId: number;
  sensorId: string;
  situation: UrgentSituation;
  eventUuid: string;
  /** The fall key, if the event is about a fall. */
  fall?: string;
  hitId: number | null;
  ruleId: number | null;
  webhookIds: string[];
  createDate: number;
  date: number;
  /** All immediate consequences have been handled. */
  isHandled?: true;
  /** The claim held by the process that sends emails about the alarm, and when (ms) it lapses if the process dies. */
  claim?: string;
  claimedUntil?: number;
  /**
   * When (ms) those who can help were first emailed, how many times they were reminded, and when they were last
   * reminded.
   */
  mailDate?: number;
  reminders?: number;
  reminderDate?: number;
  /** When (ms) it was reported to the service operators. */
  reportDate?: number;
  /** Users who have received too many emails, and get a list later. */
  deferredTo?: number[];
  /** Users whose email was not accepted, and who get a list until an email is accepted. */
  refusedTo?: number[];
  /** Bot webhooks were supposed to notify someone. */
  isToBots?: true;
  /** Someone was notified, but no one acknowledged the alarm after the last escalation round. */
  isUnanswered?: true;
};

export const unnotifiedKey = ({ customerId, alarmId }: Pick<UnnotifiedAlarm, 'customerId' | 'alarmId'>) =>
  items.unnotified({ customerId, alarmId });

/** Returns the mark for an alarm that bot webhooks were supposed to notify someone of. */
export const toBots = (messages: readonly Pick<RuleMessage, 'publisher'>[]): Pick<UnnotifiedAlarm, 'isToBots'> =>
  messages.some(({ publisher }) => publisher === 'webhook') ? { isToBots: true } : {};
