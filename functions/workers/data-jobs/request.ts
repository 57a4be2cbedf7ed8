import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { DataJob } from '#shared/domain/identity/data-job.ts';
import { runJobTask } from '#shared/domain/identity/job-kinds.ts';
import { DEFAULT_LOCALE } from '#shared/domain/identity/language.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import type { JobDeps } from './deps.ts';

/** The address and language for an email. */
type Addressee = { email: string; locale: string };

/**
 * Returns everyone to inform: the customer managers, the system admins, and the customer address. `others`: the names
 * of all managers except the requester. Readers of the customer mailbox may have no login, and need to know whom to
 * ask.
 */
const addresseesOf = async (
  { store }: JobDeps,
  { customerId, actor }: DataJob,
  customerMail: string,
): Promise<{ addressees: Addressee[]; others: string[] }> => {
  const [users, operators] = await Promise.all([store.users.list(customerId), store.users.list(null)]);
  const managers = users.filter((user) => user.canLogin && hasPermission(user, 'manage_customers'));
  const admins = operators.filter(({ isAdmin, canLogin }) => isAdmin && canLogin);
  const { locale = DEFAULT_LOCALE } = users.find(({ id }) => String(id) === actor?.id) ?? {};
  const all = [...managers, ...admins, { email: customerMail, locale }].filter(({ email }) => email !== '');
  return {
    addressees: [...new Map(all.map(({ email, locale }) => [email, { email, locale }])).values()],
    others: managers.filter(({ id }) => String(id) !== actor?.id).map(nameOfUser),
  };
};

/**
 * Informs everyone who may cancel a requested erasure. This is done once, but after a crash, emails may be repeated.
 * They are never lost.
 */
const informOthers = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { store, mail, settings } = deps;
  const customer = await store.customers.get(job.customerId);
  if (job.isMailed || !customer) return;
  if (settings.MAIL_SENDER !== '') {
    const { erasureMail } = await import('#shared/api/messages/erasure-mail.ts');
    const { reason, begins = 0, actor } = job;
    const { addressees, others } = await addresseesOf(deps, job, customer.email);
    const request = { customer, requester: actor?.name ?? '', others, reason, begins, url: settings.PUBLIC_URL };
    await inBatches(addressees, ({ email, locale }) => {
      const { subject, text } = erasureMail(locale, request);
      return mail(email, subject, text);
    });
  }
  await store.dataJobs.recordMails(job);
};

/** Informs others of a requested erasure, and begins it once it is approved and they have had time to cancel it. */
export const runRequest = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { store, now, enqueue } = deps;
  const { begins = 0 } = job;
  await informOthers(deps, job);
  if (now() < begins) return store.dataJobs.schedule(job, begins);
  if (!job.approvedBy) return store.dataJobs.awaitApproval(job);
  if (await store.dataJobs.begin(job, now())) await enqueue([runJobTask(job)]);
};
