import type { Delivery } from '../delivery/delivery.ts';
import type { Quotas } from '../identity/quota.ts';
import type { Situation } from '../kinds.ts';
import { UNASSIGNED } from '../unassigned.ts';

/** What an SMS is sent for. Codes and tests are counted separately, so that they leave enough for alarms. */
type SmsPurpose = 'vital' | 'other' | 'test' | 'code';

/** The window (s) of each count. It begins with the first SMS. */
export const SMS_WINDOW_SECONDS = 86_400;
/** How many SMS with a code a user can request in a day. */
export const SMS_CODES_PER_DAY = 5;

/** The situations in which somebody may be in danger: falls and vital alarms. */
const vital: readonly Situation[] = ['fall_detected', 'fall_detected_sensitive', 'apnea', 'vital_signs_weak'];

/** Returns the purpose of an SMS about an event. */
export const smsPurposeOf = ({ isTest, snapshot }: Pick<Delivery, 'isTest' | 'snapshot'>): SmsPurpose => {
  if (isTest) return 'test';
  return vital.some((situation) => situation === snapshot.rule?.situation) ? 'vital' : 'other';
};

/**
 * Returns the count of an SMS and its limit. Half of `smsPerDay` is reserved for falls and vital alarms, so that a power cut
 * with its messages about sensors leaves enough for the fall that follows.
 */
export const smsLimitOf = (
  customerId: number | null,
  purpose: SmsPurpose,
  quotas: Quotas,
): { subject: string; limit: number } => {
  const customer = customerId ?? UNASSIGNED;
  if (purpose === 'code') return { subject: `sms:code:${customer}`, limit: quotas.smsCodesPerDay };
  if (purpose === 'test') return { subject: `sms:test:${customer}`, limit: quotas.smsTestsPerDay };
  const reserved = purpose === 'vital' ? 0 : Math.floor(quotas.smsPerDay / 2);
  return { subject: `sms:${customer}`, limit: quotas.smsPerDay - reserved };
};

const WARNING_SHARE = 0.8;
/** Whether managers are warned after the SMS with this number, which counts towards `smsPerDay`. */
export const isNearSmsLimit = (count: number, quotas: Quotas): boolean => count >= WARNING_SHARE * quotas.smsPerDay;
