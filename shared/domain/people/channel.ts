import { UNASSIGNED } from '../unassigned.ts';
/** By what the service reaches people (completion 12). */
export const channelKinds = ['email', 'sms', 'push', 'telegram'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** What a browser gives for being pushed to: an address at its maker, and keys of its own (W3C Push API). */
export type PushSubscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** The key that pushes are signed with (VAPID). Browsers subscribe with its public part; the private one is sealed. */
export type PushKey = { publicKey: string; sealed: string };
/** Seals the private part: a stage has one, and it never changes. */
export const PUSH_KEY = 'push';

/** A proven channel of a user, with all that sending needs. */
export type Channel =
  | { by: Exclude<ChannelKind, 'push'>; address: string }
  | { by: 'push'; subscription: PushSubscription; key: PushKey };

/**
 * What a channel of a user is kept as. `address` of a push is the host that it goes to; `provenDate` (ms) is null until
 * the code came back.
 */
export type KeptChannel = {
  by: ChannelKind;
  address: string;
  subscription?: PushSubscription;
  provenDate: number | null;
};

/** A code that proves a channel, as a hash. It is good until `expires` (ms), for `CODE_TRIES` tries. */
export type ChannelCode = { hash: string; expires: number };
export const CODE_MINUTES = 10;
export const CODE_TRIES = 5;
/** How many codes are sent in an hour: to one user, and to one address whoever asks. */
export const CODES_AN_HOUR = 5;

/** Six digits out of four random bytes. */
export const channelCodeOf = (random: Uint8Array): string =>
  String(Buffer.from(random).readUInt32BE() % 1_000_000).padStart(6, '0');

/** What is hashed of a code: it proves one address of one user, and nothing else. */
export const codeText = (userId: number, { by, address }: Pick<KeptChannel, 'by' | 'address'>, code: string): string =>
  [userId, by, address, code].join('\n');

/** What SMS of a customer are counted by, in a window of a day that begins with the first one. */
export const smsOf = (customerId: number | null) => ({
  subject: `sms:${customerId ?? UNASSIGNED}`,
  windowSeconds: 86_400,
});

/** A user who said to be on duty, and until when (ms). */
export type OnDuty = { userId: number; until: number };
export const LONGEST_DUTY = 24 * 3_600_000;
