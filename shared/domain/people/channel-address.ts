import { email } from '../identity/email.ts';
import type { ChannelKind } from './channel.ts';

/** The patterns of a number in E.164, and of the id of a chat, which is negative for groups. */
const patterns = { sms: /^\+[1-9]\d{6,14}$/, telegram: /^-?[1-9]\d{0,18}$/ } as const;

/** Whether a text is an address of this kind. Unlike the email address of a user, it must not be empty. */
export const isChannelAddress = (by: Exclude<ChannelKind, 'push'>, address: string): boolean =>
  by === 'email' ? address !== '' && email.safeParse(address).success : patterns[by].test(address);
