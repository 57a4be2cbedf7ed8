import type { Language } from '#shared/domain/identity/locale.ts';
import type { Channel, ChannelKind } from '#shared/domain/people/channel.ts';

/**
 * What is sent to a person. `url` is the link that acknowledges the alarm, or null; `listUrl` the list of sensors, in a
 * message about several of them.
 */
export type Notification = { title: string; text: string; url: string | null; listUrl?: string; language: Language };

/**
 * What became of a notification: the service accepted it, perhaps at a new address (`movedTo`); no retry would help, because
 * of the address, perhaps with the reason that the service gave (`gone`); or the reason to retry, which is a word or the name
 * of an error and contains neither address nor text, and the seconds that the service asked to wait.
 */
export type PersonOutcome =
  | 'accepted'
  | { movedTo: string }
  | 'gone'
  | { gone: string }
  | { retry: string; afterSeconds?: number };

type Accepted = Extract<PersonOutcome, 'accepted' | { movedTo: string }>;
type Gone = Extract<PersonOutcome, 'gone' | { gone: string }>;
export const isAccepted = (outcome: PersonOutcome): outcome is Accepted =>
  outcome === 'accepted' || (typeof outcome === 'object' && 'movedTo' in outcome);
export const isGone = (outcome: PersonOutcome): outcome is Gone =>
  outcome === 'gone' || (typeof outcome === 'object' && 'gone' in outcome);

/**
 * Sends a notification to one channel of a person. Each call ends within `DELIVERY_DEADLINE_SECONDS` and never rejects
 * because of the messaging service. Rejects with KeysUnavailable if the push key cannot be decrypted.
 */
export type SendToPerson = (channel: Channel, notification: Notification) => Promise<PersonOutcome>;

/**
 * How a stage notifies people. `kinds` are the channels that it has a service for; others end as `{ retry: 'unavailable'
 * }`.
 */
export type PersonSender = { kinds: readonly ChannelKind[]; send: SendToPerson };
