import type { Language } from '#shared/domain/identity/locale.ts';
import type { Channel } from '#shared/domain/people/channel.ts';

/** What is sent to a person. `url` is the link that acknowledges the alarm, or null. */
export type Notification = { title: string; text: string; url: string | null; language: Language };

/**
 * What became of a notification: the service accepted it, the address is not or no longer valid, or the reason to retry,
 * which is a word or the name of an error and contains neither address nor text.
 */
export type PersonOutcome = 'accepted' | 'gone' | { retry: string };

/**
 * Sends a notification to one channel of a person. Each call ends within `DELIVERY_DEADLINE_SECONDS` and never rejects
 * because of the messaging service. Rejects with KeysUnavailable if the push key cannot be decrypted.
 */
export type SendToPerson = (channel: Channel, notification: Notification) => Promise<PersonOutcome>;
