import type { Channel } from '../../domain/channel.ts';
import type { Language } from '../../domain/locale.ts';

/**
 * What a person is told. `url` is where they say that they take care of it; null: nowhere. Nothing else than this is sent,
 * by SMS less the title where that is all that the text repeats.
 */
export type Letter = { title: string; text: string; url: string | null; language: Language };

/**
 * What became of a letter: a service took it, the address is none (any more), or why it was not taken, which may pass. The
 * reason is a word or a name of an error; it holds neither address nor text.
 */
export type PersonOutcome = 'accepted' | 'gone' | { retry: string };

/**
 * Sends a letter to one channel of a person. It never rejects for what a service answers or does not answer; each call
 * ends in time. It rejects with KeysUnavailable when the key of pushes cannot be opened.
 */
export type SendToPerson = (channel: Channel, letter: Letter) => Promise<PersonOutcome>;
