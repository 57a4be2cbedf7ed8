import type { DataJob } from '#shared/domain/identity/data-job.ts';
import type { Subject } from '#shared/domain/identity/data-job-view.ts';
import type { Recipient } from '#shared/domain/rule/recipient.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { JobDeps } from './deps.ts';

/**
 * Recipients without a user. Where nobody else is left, whoever is on duty takes the place: a rule must not fall silent
 * because somebody is erased.
 */
const without = (recipients: readonly Recipient[], userId: number): Recipient[] => {
  const others = recipients.filter((recipient) => recipient.userId !== userId);
  const by = recipients.find((recipient) => recipient.userId === userId)?.by;
  return others.length > 0 || by === undefined ? others : [{ onDuty: true, by }];
};

const names = ({ recipients, escalation }: Rule, userId: number): boolean =>
  [...recipients, ...escalation.flatMap((step) => step.recipients)].some((recipient) => recipient.userId === userId);

const forgetUser = async ({ store, now }: JobDeps, before: Rule, userId: number): Promise<void> => {
  const recipients = without(before.recipients, userId);
  const escalation = before.escalation.map((step) => ({ ...step, recipients: without(step.recipients, userId) }));
  const rule = { ...before, recipients, escalation, updateDate: Math.max(now(), before.updateDate + 1) };
  await store.rules.setRecipients(before, rule);
};

const isAbout = (rule: Rule, subject: Subject): boolean =>
  subject.kind === 'sensor' ? rule.sensorId === subject.id : subject.kind === 'user' && names(rule, subject.id);

/** Removes the rules of a sensor, or a user from all rules. Gives how many rules named the subject. */
export const forgetInRules = async (deps: JobDeps, { customerId, subject }: DataJob): Promise<number> => {
  if (subject.kind === 'customer' || customerId === UNASSIGNED) return 0;
  const about = (await deps.store.rules.list(customerId)).filter((rule) => isAbout(rule, subject));
  for (const rule of about) {
    if (subject.kind === 'user') await forgetUser(deps, rule, subject.id);
    else await deps.store.rules.remove(rule);
  }
  return about.length;
};
