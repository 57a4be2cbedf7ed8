import type { WebhookClient } from '../webhook-client.ts';
import type { PersonOutcome } from './person.ts';

/** Sends a text to a Telegram chat. Never rejects. */
export type SendTelegram = (chat: string, text: string) => Promise<PersonOutcome>;

/**
 * The errors that only the chat can cause; all others are faults of the stage.
 * https://core.telegram.org/bots/api#making-requests
 */
const CHAT_ERRORS =
  /chat not found|user is deactivated|bot was (blocked|kicked)|not enough rights|chat_id is empty|PEER_ID/i;

/** Creates a sender for the bot with this token. `base` replaces the URL of Telegram in tests. */
export const createTelegram =
  (
    client: () => Promise<Pick<WebhookClient, 'post'>>,
    token: string,
    base = 'https://api.telegram.org',
  ): SendTelegram =>
  async (chat, text) => {
    // Telegram must not open the link for a preview.
    const body = { chat_id: chat, text, link_preview_options: { is_disabled: true } };
    const { status, error, responseBody } = await (await client()).post({
      url: `${base}/bot${token}/sendMessage`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (status === 200) return 'accepted';
    if (status === 403 || (status === 400 && CHAT_ERRORS.test(responseBody))) return 'gone';
    return { retry: error ?? `status_${status}` };
  };
