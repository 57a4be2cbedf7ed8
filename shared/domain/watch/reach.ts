import type { WebhookRecord } from '../delivery/webhook.ts';
import type { By, Recipient } from '../rule/recipient.ts';
import { includesOnDuty } from '../rule/recipients.ts';
import type { Rule } from '../rule/rule.ts';
import type { RecipientGap } from './gap.ts';

/** The data that decides whom a rule can reach now. */
export type Reach = {
  webhooks: ReadonlyMap<string, WebhookRecord>;
  /** The channels that can reach each user. */
  channels: ReadonlyMap<number, readonly By[]>;
  /** The ids of the users on duty. */
  onDuty: readonly number[];
  /** The channels the host sends through. Files in the outbox reach no one. */
  sendable: readonly By[];
  /** How long (s) an alarm may go without anyone being notified before it counts as unnotified. */
  unnotifiedAfter: number;
};

const unreachableWebhook = (webhookId: string, ruleIds: number[]) =>
  ({ kind: 'unreachable_recipient', ruleIds, userId: null, by: null, webhookId }) as const;

/** Returns what is wrong with an existing webhook; null if it works. */
export const webhookGap = (
  webhook: WebhookRecord,
  ruleIds: number[],
  { unnotifiedAfter }: Pick<Reach, 'unnotifiedAfter'>,
): RecipientGap | null => {
  const { id: webhookId, url, isEnabled, consecutiveFailures, lastSuccess, retrySchedule, format } = webhook;
  if (!isEnabled) return { kind: 'webhook_off', webhookId, ruleIds };
  // Until a feed is first fetched, it is unknown whether anyone will fetch it.
  const isUnfetched = url === null && lastSuccess === undefined;
  if (consecutiveFailures > 0 || isUnfetched) return { kind: 'webhook_failing', webhookId, ruleIds };
  // Deliveries in a feed do not wait for an attempt.
  if (url !== null && (retrySchedule?.[0] ?? 0) >= unnotifiedAfter) return unreachableWebhook(webhookId, ruleIds);
  return format === 'raw' ? { kind: 'raw_only', webhookId, ruleIds } : null;
};

const gapOfWebhookRecipient = (reach: Reach, webhookId: string, botId: number, ruleIds: number[]) => {
  const webhook = reach.webhooks.get(webhookId);
  return webhook?.botId === botId ? webhookGap(webhook, ruleIds, reach) : unreachableWebhook(webhookId, ruleIds);
};

/** Whether a user can be notified through a channel. */
const isReachable = ({ channels }: Reach, userId: number, by: By): boolean =>
  channels.get(userId)?.includes(by) ?? false;

/** Returns why a rule recipient cannot be reached now; null if it can. */
const gapOfRecipient = (reach: Reach, recipient: Recipient, ruleId: number): RecipientGap | null => {
  const ruleIds = [ruleId];
  if (recipient.webhookId !== undefined)
    return gapOfWebhookRecipient(reach, recipient.webhookId, recipient.botId, ruleIds);
  const { by, userId = null } = recipient;
  const unreachable = { kind: 'unreachable_recipient', ruleIds, userId, by, webhookId: null } as const;
  if (!reach.sendable.includes(by)) return unreachable;
  if (userId !== null) return isReachable(reach, userId, by) ? null : unreachable;
  const isOnDuty = reach.onDuty.some((id) => isReachable(reach, id, by));
  return isOnDuty ? null : { kind: 'nobody_on_duty', ruleIds, by };
};

/** Returns why the first recipients in a rule cannot be reached now. Empty if at least one can. */
export const recipientGaps = (reach: Reach, { id, recipients }: Pick<Rule, 'id' | 'recipients'>): RecipientGap[] => {
  const gaps = recipients.map((recipient) => gapOfRecipient(reach, recipient, id));
  return gaps.includes(null) ? [] : gaps.filter((gap) => gap !== null);
};

/** Whether the recipients include the users on duty, but none of those users can be notified. */
export const isDutyEmpty = (reach: Reach, recipients: readonly Recipient[]): boolean =>
  includesOnDuty(recipients) &&
  recipients.some((recipient) => gapOfRecipient(reach, recipient, 0)?.kind === 'nobody_on_duty');
