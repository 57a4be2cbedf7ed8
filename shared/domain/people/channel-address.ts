import { email } from '../identity/email.ts';
import type { ChannelKind } from './channel.ts';

/** Patterns for E.164 numbers, and for chat ids, which are negative for groups. */
const patterns = { sms: /^\+[1-9]\d{6,14}$/, telegram: /^-?[1-9]\d{0,18}$/ } as const;

/** Whether a string is an address for this channel kind. Unlike a user's email address, it must not be empty. */
export const isChannelAddress = (by: Exclude<ChannelKind, 'push'>, address: string): boolean =>
  by === 'email' ? address !== '' && email.safeParse(address).success : patterns[by].test(address);
