import { watchUses } from '#shared/api/operation.ts';
import { scheduled } from '#shared/queue/consumer.ts';

/** Mails the managers of rules when a change of a user opened a gap about falls, within two minutes of the change. */
export const watchChanges = scheduled({
  name: 'watch-changes',
  everySeconds: 60,
  timeoutSeconds: 60,
  uses: [
    ...watchUses,
    'watches.changedCustomers',
    'watches.endChange',
    'audit.page',
    'users.list',
    'send:mail',
    'measure',
  ],
});
