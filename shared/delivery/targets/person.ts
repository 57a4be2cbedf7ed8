import type { NotificationReference } from '#shared/domain/delivery/notification-reference.ts';
import type { Language } from '#shared/domain/identity/language.ts';
import type { Channel } from '#shared/domain/people/channel.ts';

/**
 * What is sent to a person. `url` is the link that acknowledges the alarm, or null. `listUrl` links to the sensor list,
 * in a message about several sensors. `subject` is what a shortened SMS must contain. A push message replaces the
 * previous one with the same `tag` on the screen.
 */
export type Notification = {
  title: string;
  text: string;
  url: string | null;
  listUrl?: string;
  language: Language;
  tag?: string;
  subject?: { situation: string; sensor: string };
};

/**
 * What happened to a notification: the service accepted it, perhaps at a new address (`movedTo`); the address is not
 * valid, or no longer valid; the service refused it permanently; or it should be retried, for the given reason. Reasons
 * are words or error names. Neither reasons nor service responses contain addresses or texts. `isOfHost`: the service
 * fails for everyone until the operator fixes it. `afterSeconds`: how long the service asked to wait.
 */
export type PersonOutcome =
  | 'accepted'
  | { movedTo: string }
  | 'gone'
  | Refused
  | { retry: string; answer?: string; isOfHost?: true; afterSeconds?: number };
type Refused = { refused: string; answer: string };

/** Whether a service accepted a notification. */
export const isAccepted = (outcome: PersonOutcome): outcome is 'accepted' | { movedTo: string } =>
  outcome === 'accepted' || (typeof outcome === 'object' && 'movedTo' in outcome);

/** Whether a service will never deliver this notification to this address. */
export const isFinal = (outcome: PersonOutcome): outcome is 'gone' | Refused =>
  outcome === 'gone' || (typeof outcome === 'object' && 'refused' in outcome);

/**
 * Sends a notification through a single channel. Each call ends within `DELIVERY_DEADLINE_SECONDS` and never rejects
 * because of the messaging service. Rejects with KeysUnavailable if the push key cannot be decrypted. With a
 * `reference`, the service reports messages it accepts but cannot deliver (functions/workers/undeliverable).
 */
export type SendToPerson = (
  channel: Channel,
  notification: Notification,
  reference?: NotificationReference,
) => Promise<PersonOutcome>;
