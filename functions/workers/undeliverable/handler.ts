import { consume } from '#shared/worker/consume.ts';
import { undeliverable } from './contract.ts';
import { endDelivery } from './end-delivery.ts';

export const handler = consume(undeliverable, async ([received], deps) => {
  if (!received) return;
  const { task } = received;
  if (task.kind === 'undeliverable') return endDelivery(deps, task);
  deps.log('info', 'an event of a messaging service was ignored', { event: task.event });
});
