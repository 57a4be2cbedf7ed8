import type { WebhookClient } from '../webhook-client.ts';
import type { PersonOutcome } from './person.ts';

/** Sends a text to a chat of Telegram. It never rejects. */
export type Telegram = (chat: string, text: string) => Promise<PersonOutcome>;

/** Those of a wrong token are ours to fix, all others are of the chat. https://core.telegram.org/bots/api#making-requests */
const OF_CHAT =
  /chat not found|user is deactivated|bot was (blocked|kicked)|not enough rights|chat_id is empty|PEER_ID/i;

/** Sends as the bot with this token. `base` is another address than that of Telegram in tests. */
export const telegramAs =
  (client: () => Promise<Pick<WebhookClient, 'post'>>, token: string, base = 'https://api.telegram.org'): Telegram =>
  async (chat, text) => {
    // Telegram would open the address in the text to show what is there.
    const body = { chat_id: chat, text, link_preview_options: { is_disabled: true } };
    const { status, error, responseBody } = await (await client()).post({
      url: `${base}/bot${token}/sendMessage`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (status === 200) return 'accepted';
    if (status === 403 || (status === 400 && OF_CHAT.test(responseBody))) return 'gone';
    return { retry: error ?? `status_${status}` };
  };
