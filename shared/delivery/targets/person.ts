import type { Language } from '#shared/domain/identity/locale.ts';
import type { Channel, ChannelKind } from '#shared/domain/people/channel.ts';

/** What a person is told, and nothing else. `url` is where they say that they take care of it; null: nowhere. */
export type Letter = { title: string; text: string; url: string | null; language: Language };

/**
 * What became of a letter: a service took it, the address is none (any more), or why it was not taken, which may pass. The
 * reason is a word or the name of an error; it holds neither address nor text.
 */
export type PersonOutcome = 'accepted' | 'gone' | { retry: string };

/**
 * Sends a letter to one channel of a person. It never rejects for what a service answers or leaves unanswered; each call
 * ends within `DELIVERY_DEADLINE_SECONDS`. It rejects with KeysUnavailable when the key of pushes cannot be opened.
 */
export type SendToPerson = (channel: Channel, letter: Letter) => Promise<PersonOutcome>;

/** `kinds` are the kinds of channels that this stage has a service for; others end as `{ retry: 'unavailable' }`. */
export type People = { kinds: readonly ChannelKind[]; send: SendToPerson };
