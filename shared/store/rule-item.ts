import type { Recipient, ToWebhook } from '../domain/recipient.ts';
import type { Rule } from '../domain/rule.ts';

type ToPeople = Exclude<Recipient, { webhookId: string }>;
type Optional = 'escalation' | 'repeatSeconds' | 'untilAcknowledged';

/**
 * A rule as it is stored. A version that knows no people reads webhooks alone in `recipients`, and tells those; `at`: the
 * place of a person among all. What says that it does not escalate is left out, for alarms read it.
 */
export type StoredRule = Omit<Rule, 'recipients' | Optional> &
  Partial<Pick<Rule, Optional>> & { recipients: ToWebhook[]; people?: (ToPeople & { at: number })[] };

const isOfPeople = (one: Recipient): one is ToPeople => 'by' in one;
const isOfWebhook = (one: Recipient): one is Exclude<Recipient, ToPeople> => !isOfPeople(one);

export const ruleItem = ({
  recipients,
  escalation,
  repeatSeconds,
  untilAcknowledged,
  ...rule
}: Omit<Rule, Optional> & Partial<Rule>): StoredRule => {
  const people = recipients.flatMap((one, at) => (isOfPeople(one) ? [{ ...one, at }] : []));
  return {
    ...rule,
    recipients: recipients.filter(isOfWebhook),
    ...(people.length > 0 && { people }),
    ...((escalation ?? []).length > 0 && { escalation }),
    ...((repeatSeconds ?? null) !== null && { repeatSeconds }),
    ...(untilAcknowledged === false && { untilAcknowledged }),
  };
};

/** The rule that an item of the table is. */
export const ruleOf = ({ people = [], recipients, ...rule }: StoredRule): Rule => {
  const all: Recipient[] = [...recipients];
  for (const { at, ...one } of people) all.splice(at, 0, one as ToPeople);
  return { escalation: [], repeatSeconds: null, untilAcknowledged: true, ...rule, recipients: all };
};
