import type { By, Person, Recipient, WebhookRecipient } from './recipient.ts';
import type { Rule } from './rule.ts';

/** Returns the webhooks among the recipients, without duplicates. A rule may name a webhook twice. */
export const webhooksIn = (recipients: readonly Recipient[]): WebhookRecipient[] => {
  const named = recipients.flatMap(({ botId, webhookId }) =>
    botId !== undefined && webhookId !== undefined ? [{ botId, webhookId }] : [],
  );
  return [...new Map(named.map((recipient) => [recipient.webhookId, recipient])).values()];
};

/** A user on duty, and their verified channels. */
export type UserOnDuty = { userId: number; verified: readonly By[] };

/**
 * Returns the people among the recipients, each once per channel. Users on duty are included only if they have verified
 * the channel.
 */
export const peopleIn = (recipients: readonly Recipient[], onDuty: readonly UserOnDuty[]): Omit<Person, 'name'>[] => {
  const named = recipients.flatMap((recipient) => {
    if (recipient.by === undefined) return [];
    const { by } = recipient;
    if (recipient.userId !== undefined) return [{ userId: recipient.userId, by }];
    return onDuty.filter(({ verified }) => verified.includes(by)).map(({ userId }) => ({ userId, by }));
  });
  return [...new Map(named.map((recipient) => [`${recipient.userId} ${recipient.by}`, recipient])).values()];
};

/** Returns the ids of all users named as recipients. */
export const usersIn = (recipients: readonly Recipient[]): number[] => [
  ...new Set(recipients.flatMap(({ userId }) => userId ?? [])),
];

/** Whether the users on duty are among the recipients. */
export const includesOnDuty = (recipients: readonly Recipient[]): boolean =>
  recipients.some(({ onDuty }) => onDuty === true);

/** Whether the recipients include the users on duty, but none of those users has verified the required channel. */
export const isNobodyOnDuty = (recipients: readonly Recipient[], onDuty: readonly UserOnDuty[]): boolean =>
  includesOnDuty(recipients) &&
  peopleIn(
    recipients.filter((recipient) => recipient.onDuty),
    onDuty,
  ).length === 0;

/** The part of a rule that decides who is notified, and when. */
export type NotificationPlan = Pick<Rule, 'recipients' | 'escalation' | 'repeatSeconds'>;

/** Returns all recipient lists with their paths in the rule: the first recipients, then those for each step. */
export const recipientLists = ({ recipients, escalation }: NotificationPlan) => [
  { path: 'recipients', recipients },
  ...escalation.map((step, index) => ({ path: `escalation.${index}.recipients`, recipients: step.recipients })),
];

/** Returns all recipients in a rule: the first recipients, then those for each step. */
export const allRecipients = (rule: NotificationPlan): Recipient[] =>
  recipientLists(rule).flatMap(({ recipients }) => recipients);
