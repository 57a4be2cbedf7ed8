import type { By, Person, Recipient, WebhookRecipient } from './recipient.ts';
import type { Rule } from './rule.ts';

/** Returns the webhooks among recipients, each once: a rule may name a webhook twice. */
export const webhooksIn = (recipients: readonly Recipient[]): WebhookRecipient[] => {
  const named = recipients.flatMap(({ botId, webhookId }) =>
    botId !== undefined && webhookId !== undefined ? [{ botId, webhookId }] : [],
  );
  return [...new Map(named.map((recipient) => [recipient.webhookId, recipient])).values()];
};

/** A user on duty, and the channels that the user has verified. */
export type UserOnDuty = { userId: number; verified: readonly By[] };

/**
 * Returns the people among recipients, each once per channel. Includes only users on duty who have verified the
 * channel.
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

/** Returns the ids of the users among recipients. */
export const usersIn = (recipients: readonly Recipient[]): number[] => [
  ...new Set(recipients.flatMap(({ userId }) => userId ?? [])),
];

/** Whether the users on duty are among the recipients. */
export const includesOnDuty = (recipients: readonly Recipient[]): boolean =>
  recipients.some(({ onDuty }) => onDuty === true);

/** Whether recipients include the users on duty, but none of these users has verified a channel that is used. */
export const isNobodyOnDuty = (recipients: readonly Recipient[], onDuty: readonly UserOnDuty[]): boolean =>
  includesOnDuty(recipients) &&
  peopleIn(
    recipients.filter((recipient) => recipient.onDuty),
    onDuty,
  ).length === 0;

/** The part of a rule that decides who is notified, and when. */
export type NotificationPlan = Pick<Rule, 'recipients' | 'escalation' | 'repeatSeconds'>;

/**
 * Returns all lists of recipients with their paths in the rule: the first recipients, then the recipients of each step.
 */
export const recipientLists = ({ recipients, escalation }: NotificationPlan) => [
  { path: 'recipients', recipients },
  ...escalation.map((step, index) => ({ path: `escalation.${index}.recipients`, recipients: step.recipients })),
];

/** Returns all recipients of a rule: the first recipients, then the recipients of each further step. */
export const allRecipients = (rule: NotificationPlan): Recipient[] =>
  recipientLists(rule).flatMap(({ recipients }) => recipients);
