import type { Delivery } from '../delivery/delivery.ts';
import type { Quotas } from '../identity/quota.ts';
import type { Situation } from '../kinds.ts';
import { UNASSIGNED } from '../unassigned.ts';

/** What an SMS is for. Codes and tests are counted separately, so that they leave enough for alarms. */
type SmsPurpose = 'vital' | 'other' | 'test' | 'code';

/** The window (s) for each count. It starts with the first SMS. */
export const SMS_WINDOW_SECONDS = 86_400;
/** The maximum number of SMS codes a user can request per day. */
export const SMS_CODES_PER_DAY = 5;

/** Situations in which someone may be in danger: falls and vital alarms. */
const vital: readonly Situation[] = ['fall_detected', 'fall_detected_sensitive', 'apnea', 'vital_signs_weak'];

/** Returns what an SMS about an event is for. */
export const smsPurposeOf = ({ isTest, snapshot }: Pick<Delivery, 'isTest' | 'snapshot'>): SmsPurpose => {
  if (isTest) return 'test';
  return vital.some((situation) => situation === snapshot.rule?.situation) ? 'vital' : 'other';
};

/**
 * Returns the key and limit of the counter an SMS adds to. Half of `smsPerDay` is reserved for falls and vital alarms,
 * so that messages about offline sensors during a power cut leave enough for a later fall.
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
/** Whether to warn managers once `count` SMS have been charged to `smsPerDay`. */
export const isNearSmsLimit = (count: number, quotas: Quotas): boolean => count >= WARNING_SHARE * quotas.smsPerDay;
