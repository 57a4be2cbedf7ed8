import { invitationMail } from '#shared/api/messages/texts.ts';
import type { Call } from '#shared/api/operation.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import { INVITATION_DAYS, INVITATIONS_PER_DAY, type User } from '#shared/domain/identity/user.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { users } from './contract.ts';

type Operation = (typeof users)['operations']['createUser'];
type CreateCall = Call<Operation>;
type CreateDeps = Deps<Operation['uses'][number]>;

const DAY_SECONDS = 86_400;

/** Counts an invitation of a customer, or ends the call if it has sent too many in a day. */
export const countInvitation = async (
  { fail }: Pick<CreateCall, 'fail'>,
  customerId: number | null,
  { store, now }: CreateDeps,
): Promise<void> => {
  const subject = `invitations:${customerId ?? UNASSIGNED}`;
  if ((await store.limits.countWithin(subject, INVITATIONS_PER_DAY, DAY_SECONDS, now())) === null)
    return fail('limit_reached', { limit: { of: 'invitations', most: INVITATIONS_PER_DAY } });
};

/** Mails a new user the link to set a password. Its code is in the fragment, which no server or proxy sees. */
export const mailInvitation = async (
  { id: accountId, customerId, username, email, locale, accountKey }: User & { accountKey: string },
  { store, now, random, mail, settings: { PUBLIC_URL } }: CreateDeps,
): Promise<void> => {
  const code = Buffer.from(random(24)).toString('base64url');
  const createDate = now();
  const expires = createDate + INVITATION_DAYS * DAY_SECONDS * 1_000;
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
