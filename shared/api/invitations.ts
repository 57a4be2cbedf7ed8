import { hashSecret } from '../auth/tokens.ts';
import { BASE_PATH } from '../domain/base-path.ts';
import { asText } from '../domain/formats/plain-text.ts';
import { INVITATION_DAYS, type User } from '../domain/identity/user.ts';
import type { Deps } from '../runtime/deps.ts';
import { invitationMail } from './messages/texts.ts';

type InvitationDeps = Deps<'resets.create' | 'send:mail' | 'service:about'>;

/** Emails a new user the link to set a password. The code is in the fragment, which no server or proxy sees. */
export const mailInvitation = async (
  { id: accountId, customerId, username, email, locale, accountKey }: User & { accountKey: string },
  { store, now, random, mail, settings: { PUBLIC_URL } }: InvitationDeps,
): Promise<void> => {
  const code = Buffer.from(random(24)).toString('base64url');
  const createDate = now();
  const expires = createDate + INVITATION_DAYS * 86_400_000;
  const reset = { accountKey, accountId, customerId, username, epoch: 0, mailbox: 0, createDate, expires };
  await store.resets.create(hashSecret(code), reset);
  const link = PUBLIC_URL && `${PUBLIC_URL}${BASE_PATH}/console/invitation#${code}`;
  const { subject, text } = await invitationMail(locale, {
    username: asText(username),
    link,
    code,
    days: INVITATION_DAYS,
  });
  await mail(email, subject, text);
};
