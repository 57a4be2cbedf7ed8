import { consume } from '#shared/worker/consume.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { deliver as contract } from './contract.ts';
import { deliver } from './deliver.ts';
import type { DeliverDeps } from './deps.ts';
import { checkFeed } from './feed.ts';
import { releaseHeld } from './hold.ts';
import { stepReplay } from './replay.ts';
import { REQUEST_MS } from './slots.ts';

type WebhookKey = { customerId: number; webhookId: string };

const release = async (deps: DeliverDeps, key: WebhookKey, timeLeft: () => number): Promise<void> => {
  const webhook = await deps.store.webhooks.get(key.customerId, key.webhookId);
  if (!webhook?.isEnabled) return;
  const feed = await checkFeed(deps, webhook, timeLeft);
  if ((webhook.held ?? 0) > 0) await releaseHeld(deps, webhook, timeLeft);
  else if (feed === 'empty') await deps.store.held.removeFromDue(webhook);
};

const replay = async (
  deps: DeliverDeps,
  { customerId, webhookId, replayId }: WebhookKey & { replayId: string },
  timeLeft: () => number,
): Promise<void> => {
  const webhook = await deps.store.webhooks.get(customerId, webhookId);
  if (!webhook) return deps.store.replays.close({ customerId, webhookId, id: replayId });
  return stepReplay(deps, webhook, replayId, timeLeft);
};

export const handler = consume(contract, async ([received], deps, timeLeft) => {
  if (!received) return;
  if (timeLeft() < REQUEST_MS) throw new RetryLater('no time left for another attempt');
  const { task } = received;
  switch (task.type) {
    case 'deliver':
      await deliver(deps, task, timeLeft);
      return;
    case 'release_held':
      return release(deps, task, timeLeft);
    case 'step_replay':
      return replay(deps, task, timeLeft);
  }
});
