import type { Recipient, Rule } from './rule.ts';

/** The part of a rule that says who is told. Rules from before there was escalation have none of the optional fields. */
export type Telling = Pick<Rule, 'recipients'> &
  Partial<Pick<Rule, 'escalation' | 'repeatSeconds' | 'untilAcknowledged'>>;

/** What tells one recipient from another. */
export const keyOfRecipient = ({ webhookId }: Recipient): string => webhookId;

/** The account that a rule message names for a recipient. */
export const accountOf = ({ botId }: Recipient): number => botId;

/** Recipients, each once. The last one with the same key counts. */
export const distinct = (recipients: readonly Recipient[]): Recipient[] => [
  ...new Map(recipients.map((one) => [keyOfRecipient(one), one])).values(),
];

/** All recipients of a rule with the path of each in the rule: the first ones, then those of each step. */
export const namedRecipients = ({ recipients, escalation = [] }: Telling): { path: string; recipient: Recipient }[] =>
  [
    { path: 'recipients', recipients },
    ...escalation.map((step, at) => ({ ...step, path: `escalation.${at}.recipients` })),
  ].flatMap(({ path, recipients: some }) => some.map((recipient, at) => ({ path: `${path}.${at}`, recipient })));

/** All recipients of a rule: the first ones, then those of each step. */
export const allRecipients = (rule: Telling): Recipient[] => namedRecipients(rule).map(({ recipient }) => recipient);
