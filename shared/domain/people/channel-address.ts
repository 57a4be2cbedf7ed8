import { email } from '../identity/email.ts';
import type { ChannelKind } from './channel.ts';

/** A number in E.164, and the id of a chat, which is negative where several people read it. */
const forms = { sms: /^\+[1-9]\d{6,14}$/, telegram: /^-?[1-9]\d{0,18}$/ } as const;

/** Is a text an address of this kind? The house takes no e-mail address for an address, this does not. */
export const isAddress = (by: Exclude<ChannelKind, 'push'>, address: string): boolean =>
  by === 'email' ? address !== '' && email.safeParse(address).success : forms[by].test(address);
