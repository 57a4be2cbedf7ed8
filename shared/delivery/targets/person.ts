import type { Language } from '#shared/domain/identity/locale.ts';
import type { Channel } from '#shared/domain/people/channel.ts';

/**
 * What is sent to a person. `url` is the link that acknowledges the alarm, or null. `subject` is what a shortened SMS must
 * contain.
 */
export type Notification = {
  title: string;
  text: string;
  url: string | null;
  language: Language;
  subject?: { situation: string; sensor: string };
};

/**
 * What became of a notification: the service accepted it, the address is not or no longer valid, the service refused it for
 * good, or the reason to retry. Reasons are words or names of errors; they and the answers of services contain neither
 * address nor text. `isOfHost`: the service fails for everybody until its operator repairs it.
 */
export type PersonOutcome = 'accepted' | 'gone' | Refused | { retry: string; answer?: string; isOfHost?: true };
type Refused = { refused: string; answer: string };

/** Whether a service will never deliver this notification to this address. */
export const isFinal = (outcome: PersonOutcome): outcome is 'gone' | Refused =>
  outcome === 'gone' || (typeof outcome === 'object' && 'refused' in outcome);

/**
 * Sends a notification to one channel of a person. Each call ends within `DELIVERY_DEADLINE_SECONDS` and never rejects
 * because of the messaging service. Rejects with KeysUnavailable if the push key cannot be decrypted.
 */
export type SendToPerson = (channel: Channel, notification: Notification) => Promise<PersonOutcome>;
