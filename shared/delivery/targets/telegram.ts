import { MAX_ANSWER } from '#shared/domain/delivery/attempt.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { WebhookClient } from '../webhook-client.ts';
import type { PersonOutcome } from './person.ts';

/** Sends text to a Telegram chat. Never rejects. */
export type SendTelegram = (chat: string, text: string) => Promise<PersonOutcome>;

/**
 * The errors that only the chat can cause and that retries cannot fix. All other errors are caused by the stage or
 * Telegram. https://core.telegram.org/bots/api#making-requests and https://core.telegram.org/api/errors
 */
const CHAT_ERRORS = new RegExp(
  [
    'chat not found',
    'chat_id is empty',
    'PEER_ID_INVALID',
    'user not found',
    'user is deactivated',
    'USER_IS_BLOCKED',
    'bot was (blocked|kicked)',
    'bot is not a member',
    'group( chat)? (was|is) (deactivated|deleted)',
    'CHAT_(WRITE_FORBIDDEN|RESTRICTED|ADMIN_REQUIRED|SEND_(PLAIN_)?FORBIDDEN)',
    'CHANNEL_(PRIVATE|INVALID)',
    'need administrator rights',
    'not enough rights',
    'have no rights',
    'TOPIC_(CLOSED|DELETED)',
    'message thread not found',
  ].join('|'),
  'i',
);

type Answer = Pick<Awaited<ReturnType<WebhookClient['post']>>, 'status' | 'error' | 'responseBody'>;
/** The content of an unsuccessful response from Telegram. Its `parameters` state how the request may succeed. */
type Details = { description: string; migrateTo: string | null; retryAfter: number };

/** Reads an unsuccessful response. Null if it is not from Telegram, but from a proxy or a login page. */
const detailsOf = ({ responseBody }: Answer): Details | null => {
  try {
    const { ok, description = '', parameters } = JSON.parse(responseBody);
    if (ok !== false) return null;
    const { migrate_to_chat_id: chat, retry_after: seconds } = parameters ?? {};
    const isChat = Number.isSafeInteger(chat) && chat !== 0;
    const isWait = Number.isFinite(seconds) && seconds > 0;
    return {
      description: String(description),
      migrateTo: isChat ? String(chat) : null,
      retryAfter: isWait ? Math.ceil(seconds) : 0,
    };
  } catch {
    return null;
  }
};

/** Whether Telegram accepted a message. The response repeats the text, so it may be too long to be read completely. */
const isAccepted = ({ status, responseBody }: Answer): boolean =>
  status === 200 && /^\s*\{\s*"ok"\s*:\s*true\b/.test(responseBody);

const outcomeOf = (answer: Answer): PersonOutcome => {
  const { status, error } = answer;
  if (isAccepted(answer)) return 'accepted';
  const details = detailsOf(answer);
  const isFinal = details && (status === 403 || (status === 400 && CHAT_ERRORS.test(details.description)));
  if (isFinal) return { refused: `status_${status}`, answer: details.description.slice(0, MAX_ANSWER) };
  const afterSeconds = details?.retryAfter ?? 0;
  const retry = error ?? (status === 200 ? 'unexpected_response' : `status_${status}`);
  return { retry, ...(afterSeconds > 0 && { afterSeconds }) };
};

/**
 * Creates a sender for the bot with this token. A group that became a supergroup has a new chat id. In that case, the
 * message is sent there at once, and the outcome contains the new id. `base` replaces the Telegram URL in tests.
 */
export const createTelegram =
  (
    client: () => Promise<Pick<WebhookClient, 'post'>>,
    token: string,
    base = 'https://api.telegram.org',
  ): SendTelegram =>
  async (chat, text) => {
    const sendTo = async (chatId: string): Promise<Answer> => {
      // Telegram must not open the link for a preview.
      const body = { chat_id: chatId, text, link_preview_options: { is_disabled: true } };
      return (await client()).post({
        url: `${base}/bot${token}/sendMessage`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    };
    const answer = await sendTo(chat);
    const movedTo = isAccepted(answer) ? null : (detailsOf(answer)?.migrateTo ?? null);
    if (movedTo === null || movedTo === chat) return outcomeOf(answer);
    const outcome = outcomeOf(await sendTo(movedTo));
    return outcome === 'accepted' ? { movedTo } : outcome;
  };

/** When (ms) the pause for each chat began, and when it ends. All handlers in a process share one map. */
export type ChatPauses = Map<string, { since: number; until: number }>;

/**
 * Stops sending to a chat for as long as Telegram asks. Until then, messages to it are postponed without a request.
 * Other chats are not affected.
 */
export const withPauses =
  (send: SendTelegram, pauses: ChatPauses, now: () => number): SendTelegram =>
  async (chat, text) => {
    const { since = 0, until = 0 } = pauses.get(chat) ?? {};
    // A pause that begins in the future dates from before the clock was set back.
    if (until > now() && !isFuture(since, now()))
      return { retry: 'status_429', afterSeconds: Math.ceil((until - now()) / 1_000) };
    pauses.delete(chat);
    const outcome = await send(chat, text);
    if (typeof outcome === 'object' && 'retry' in outcome && outcome.afterSeconds)
      pauses.set(chat, { since: now(), until: now() + outcome.afterSeconds * 1_000 });
    return outcome;
  };
