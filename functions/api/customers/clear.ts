import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { customers } from './contract.ts';

type Clearing = Deps<(typeof customers)['operations']['deleteCustomer']['uses'][number]>;

/**
 * Removes everything that a deleted customer leaves, and gives the number of removed objects. It may be interrupted and
 * repeated. Bots are removed first, because everything else is created only while its customer or its bot exists.
 */
export const clear = async (store: Clearing['store'], customerId: number, now: number): Promise<number> => {
  const { bots, rules, sensorGroups, webhooks } = store;
  const removed = await inBatches(await bots.list(customerId), async ({ id }) => {
    await bots.forget(customerId, id);
    await bots.remove(customerId, id);
  });
  const hooks = await inBatches(await webhooks.list(customerId), (webhook) => webhooks.forget(webhook, now));
  const watching = await inBatches(await rules.list(customerId), rules.remove);
  // A group can be removed only when no rule and no webhook names it.
  const groups = await inBatches(await sensorGroups.list(customerId), ({ id }) => sensorGroups.remove(customerId, id));
  return removed + hooks + watching + groups;
};
