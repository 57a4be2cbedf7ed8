import type { DataJob } from '#shared/domain/identity/data-job.ts';
import type { Lead, SubjectScope } from '#shared/store/subjects/subjects.ts';

/** Returns whose data a job exports or erases. */
export const subjectScopeOf = ({ customerId, subject }: DataJob, leads: readonly Lead[]): SubjectScope => {
  const accountKeys = leads.flatMap((lead) => (lead.kind === 'user' ? [lead.accountKey] : []));
  const named = [subject, ...leads].map(({ kind, id }) => `${kind} ${id}`);
  return { customerId, subject, accountKeys: new Set(accountKeys), named: new Set(named) };
};
