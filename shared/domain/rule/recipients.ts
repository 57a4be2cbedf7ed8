import type { Person, Recipient, ToWebhook } from './recipient.ts';
import type { Rule } from './rule.ts';

/** The webhooks among recipients, each once: a rule may name a webhook twice. */
export const webhooksIn = (recipients: readonly Recipient[]): ToWebhook[] => {
  const named = recipients.flatMap(({ botId, webhookId }) =>
    botId !== undefined && webhookId !== undefined ? [{ botId, webhookId }] : [],
  );
  return [...new Map(named.map((recipient) => [recipient.webhookId, recipient])).values()];
};

/** The people among recipients, each way once. `onDuty`: the ids of the users who are on duty. */
export const peopleIn = (recipients: readonly Recipient[], onDuty: readonly number[]): Omit<Person, 'name'>[] => {
  const named = recipients.flatMap((recipient) => {
    if (recipient.by === undefined) return [];
    const { by } = recipient;
    return (recipient.userId !== undefined ? [recipient.userId] : onDuty).map((userId) => ({ userId, by }));
  });
  return [...new Map(named.map((recipient) => [`${recipient.userId} ${recipient.by}`, recipient])).values()];
};

/** The users whom recipients name. */
export const usersIn = (recipients: readonly Recipient[]): number[] => [
  ...new Set(recipients.flatMap(({ userId }) => userId ?? [])),
];

/** Do recipients ask for whoever is on duty? */
export const isForDuty = (recipients: readonly Recipient[]): boolean =>
  recipients.some(({ onDuty }) => onDuty === true);

/** The part of a rule that says who is told. */
export type Telling = Pick<Rule, 'recipients' | 'escalation' | 'repeatSeconds'>;

/** All lists of recipients of a rule with the path of each in the rule: the first ones, then those of each step. */
export const recipientLists = ({ recipients, escalation }: Telling) => [
  { path: 'recipients', recipients },
  ...escalation.map((step, at) => ({ path: `escalation.${at}.recipients`, recipients: step.recipients })),
];

/** All recipients of a rule: the first ones, then those of each step. */
export const allRecipients = (rule: Telling): Recipient[] =>
  recipientLists(rule).flatMap(({ recipients }) => recipients);
