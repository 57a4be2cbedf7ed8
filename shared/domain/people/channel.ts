/** The channels used to notify people (completion 12). */
export const channelKinds = ['email', 'sms', 'push', 'telegram'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** A browser push subscription: a URL at the browser vendor, and keys (W3C Push API). */
export type PushSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/**
 * The key that signs push messages (VAPID). Browsers subscribe with the public key; `sealed` is the encrypted private
 * key.
 */
export type PushKey = { publicKey: string; sealed: string };
/** The encryption context for the private key. Each stage has one key, which never changes. */
export const PUSH_KEY_CONTEXT = 'push';

/** A user's verified channel, with everything needed to send through it. */
export type Channel =
  | { by: Exclude<ChannelKind, 'push'>; address: string; undeliverableDate?: number }
  | { by: 'push'; subscription: PushSubscription; key: PushKey };

/**
 * A user's channel as stored. For push, `address` is the endpoint host. `provenDate` (ms) is null until the user has
 * entered the code. `undeliverableDate` (ms) and `undeliverableReason` are set if a message sent after verification was
 * reported as undeliverable.
 */
export type KeptChannel = {
  by: ChannelKind;
  address: string;
  subscription?: PushSubscription;
  provenDate: number | null;
  undeliverableDate?: number;
  undeliverableReason?: string;
};

/** The hash of a channel verification code. The code is valid until `expires` (ms), for at most `CODE_TRIES` tries. */
export type ChannelCode = { hash: string; expires: number };
export const CODE_MINUTES = 10;
export const CODE_TRIES = 5;
/** The maximum number of codes sent per hour, per user and per address (across all users). */
export const CODES_PER_HOUR = 5;

/** Returns a six-digit code, given four random bytes. */
export const newChannelCode = (random: Uint8Array): string =>
  String(Buffer.from(random).readUInt32BE() % 1_000_000).padStart(6, '0');

/** Returns the string to hash for a code, so that the code verifies only one user's address. */
export const codeHashInput = (
  userId: number,
  { by, address }: Pick<KeptChannel, 'by' | 'address'>,
  code: string,
): string => [userId, by, address, code].join('\n');
