import type { DataJob } from '#shared/domain/identity/data-job.ts';
import type { Lead, SubjectScope } from '#shared/store/subjects/subjects.ts';

/** Returns whose data a job exports or erases. */
export const subjectScopeOf = ({ customerId, subject }: DataJob, leads: readonly Lead[]): SubjectScope => {
  const user = leads.find((lead) => lead.kind === 'user' && subject.kind === 'user');
  const named = [subject, ...leads].map(({ kind, id }) => `${kind} ${id}`);
  return { customerId, subject, accountKey: user?.kind === 'user' ? user.accountKey : null, named: new Set(named) };
};
