/** The channels by which the service notifies people (completion 12). */
export const channelKinds = ['email', 'sms', 'push', 'telegram'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** A push subscription of a browser: a URL of the browser's vendor, and keys (W3C Push API). */
export type PushSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** The key that signs pushes (VAPID). Browsers subscribe with the public key; `sealed` is the encrypted private key. */
export type PushKey = { publicKey: string; sealed: string };
/** The encryption context of the private key. A stage has one key, which never changes. */
export const PUSH_KEY_CONTEXT = 'push';

/** A verified channel of a user, with everything needed to send through it. */
export type Channel =
  | { by: Exclude<ChannelKind, 'push'>; address: string; undeliverableDate?: number }
  | { by: 'push'; subscription: PushSubscription; key: PushKey };

/**
 * A channel of a user as it is stored. `address` of a push channel is the host of its endpoint; `provenDate` (ms) is
 * null until the user has entered the code. `undeliverableDate` (ms) and `undeliverableReason` are present if a message
 * that was sent after verification was reported as undeliverable.
 */
export type KeptChannel = {
  by: ChannelKind;
  address: string;
  subscription?: PushSubscription;
  provenDate: number | null;
  undeliverableDate?: number;
  undeliverableReason?: string;
};

/**
 * The hash of a code that verifies a channel. The code is valid until `expires` (ms), and for at most `CODE_TRIES`
 * tries.
 */
export type ChannelCode = { hash: string; expires: number };
export const CODE_MINUTES = 10;
export const CODE_TRIES = 5;
/** The maximum number of codes sent per hour to one user, and to one address for all users together. */
export const CODES_PER_HOUR = 5;

/** Returns a code of six digits, from four random bytes. */
export const newChannelCode = (random: Uint8Array): string =>
  String(Buffer.from(random).readUInt32BE() % 1_000_000).padStart(6, '0');

/** Returns the text to hash for a code, so that the code verifies only one address of one user. */
export const codeHashInput = (
  userId: number,
  { by, address }: Pick<KeptChannel, 'by' | 'address'>,
  code: string,
): string => [userId, by, address, code].join('\n');
