import { watchUses } from '#shared/api/operation.ts';
import { scheduled } from '#shared/queue/consumer.ts';

/**
 * Within two minutes, emails the rule managers when a user's change leaves falls uncovered, and when no one on duty can
 * be notified anymore.
 */
export const watchChanges = scheduled({
  name: 'watch-changes',
  everySeconds: 60,
  timeoutSeconds: 60,
  uses: [
    ...watchUses,
    'watches.changedCustomers',
    'watches.endChange',
    'dutyChecks.list',
    'dutyChecks.get',
    'dutyChecks.put',
    'dutyChecks.remove',
    'audit.page',
    'users.list',
    'send:mail',
    'measure',
  ],
});
