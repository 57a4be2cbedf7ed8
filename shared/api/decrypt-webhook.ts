import type { WebhookRecord } from '../domain/delivery/webhook.ts';
import type { Deps } from '../runtime/deps.ts';

/** Returns the webhook with decrypted secrets. Rejects with KeysUnavailable if the key cannot be reached. */
export const decryptWebhook = async <W extends WebhookRecord>(
  { decryptSecret }: Pick<Deps<'decrypt:secrets'>, 'decryptSecret'>,
  webhook: W,
): Promise<W> => {
  const decrypt = async (secret: string | null) => (secret === null ? null : decryptSecret(secret, webhook.id));
  const [token, secretKey, previousSecret] = await Promise.all([
    decryptSecret(webhook.token, webhook.id),
    decrypt(webhook.secretKey),
    decrypt(webhook.previousSecret ?? null),
  ]);
  return { ...webhook, token, secretKey, previousSecret };
};
