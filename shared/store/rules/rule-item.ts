import type { Rule } from '#shared/domain/rule/rule.ts';

type Optional = 'escalation' | 'repeatSeconds' | 'untilAcknowledged';

/** A rule as it is stored. What says that it does not escalate is left out, for alarms read it. */
export type StoredRule = Omit<Rule, Optional> & Partial<Pick<Rule, Optional>>;

export const ruleItem = ({
  escalation,
  repeatSeconds,
  untilAcknowledged,
  ...rule
}: Omit<Rule, Optional> & Partial<Rule>): StoredRule => ({
  ...rule,
  ...((escalation ?? []).length > 0 && { escalation }),
  ...((repeatSeconds ?? null) !== null && { repeatSeconds }),
  ...(untilAcknowledged === false && { untilAcknowledged }),
});

/** The rule that an item of the table is. */
export const ruleOf = (item: StoredRule): Rule => ({
  escalation: [],
  repeatSeconds: null,
  untilAcknowledged: true,
  ...item,
});
