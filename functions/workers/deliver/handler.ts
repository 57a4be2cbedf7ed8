import type { ReleaseHeld } from '#shared/queue/task.ts';
import { consume } from '#shared/worker/consume.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { deliver as contract } from './contract.ts';
import { deliver } from './deliver.ts';
import type { DeliverDeps } from './deps.ts';
import { REQUEST_MS } from './slots.ts';

const release = async (deps: DeliverDeps, task: ReleaseHeld, timeLeft: () => number): Promise<void> => {
  const webhook = await deps.store.webhooks.get(task.customerId, task.webhookId);
  if (webhook && task.setBack !== undefined) await deps.store.held.correctDue(webhook, deps.now());
  if (!webhook?.isEnabled) return;
  if (task.back) {
    const { releasePending } = await import('./release.ts');
    return releasePending(deps, webhook, { ...task, back: task.back }, timeLeft);
  }
  const [{ checkFeed }, { releaseHeld }] = await Promise.all([import('./feed.ts'), import('./hold.ts')]);
  const feed = await checkFeed(deps, webhook, timeLeft);
  if ((webhook.held ?? 0) > 0) await releaseHeld(deps, webhook, timeLeft);
  else if (feed === 'empty') await deps.store.held.removeFromDue(webhook);
};

export const handler = consume(contract, async ([received], deps, timeLeft) => {
  if (!received) return;
  if (timeLeft() < REQUEST_MS) throw new RetryLater('no time left for another attempt');
  const { task } = received;
  // Rarely needed code is loaded with the first task that needs it, not at each start.
  switch (task.type) {
    case 'deliver':
      await deliver(deps, task, timeLeft);
      return;
    case 'release_held':
      return release(deps, task, timeLeft);
    case 'alert_managers': {
      const { alertManagers } = await import('./alert-managers.ts');
      return alertManagers(deps, task.customerId);
    }
    case 'step_replay': {
      const { stepReplay } = await import('./replay.ts');
      return stepReplay(deps, task, timeLeft);
    }
  }
});
