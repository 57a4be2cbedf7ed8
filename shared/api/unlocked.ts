import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import type { Deps } from '../runtime/deps.ts';

/** The webhook with its secrets opened. It rejects with KeysUnavailable when they cannot be. */
export const unlocked = async <W extends WebhookRecord>(
  { openSecret }: Pick<Deps<'open:secrets'>, 'openSecret'>,
  webhook: W,
): Promise<W> => {
  const open = async (kept: string | null) => (kept === null ? null : openSecret(kept, webhook.id));
  const [token, secretKey, previousSecret] = await Promise.all([
    openSecret(webhook.token, webhook.id),
    open(webhook.secretKey),
    open(webhook.previousSecret ?? null),
  ]);
  return { ...webhook, token, secretKey, previousSecret };
};
