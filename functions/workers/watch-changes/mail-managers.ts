import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { Customer } from '#shared/domain/identity/customer.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { watchChanges } from './contract.ts';

export type WatchDeps = Deps<(typeof watchChanges)['uses'][number]>;

/** Returns a localized email. */
type MailText = (locale: string, customer: Customer) => { subject: string; text: string };

/** Emails the rule managers who have an address, each in their language. The texts are loaded with the first email. */
export const mailManagers = async (
  { store, mail, settings }: WatchDeps,
  customerId: number,
  loadText: () => Promise<MailText>,
): Promise<void> => {
  const customer = await store.customers.get(customerId);
  if (settings.MAIL_SENDER === '' || !customer) return;
  const textFor = await loadText();
  const users = await store.users.list(customerId);
  const managers = users.filter((user) => user.canLogin && user.email !== '' && hasPermission(user, 'manage_rules'));
  await inBatches(managers, ({ email, locale }) => {
    const { subject, text } = textFor(locale, customer);
    return mail(email, subject, text);
  });
};
