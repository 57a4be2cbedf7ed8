import { Alert, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { User } from '#openapi';
import { EmailPassword } from '../account/email-password.tsx';
import { useOtpTexts } from '../account/otp-texts.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { PersonalDataLink } from '../personal-data/link.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { useEditQuery } from '../ui/edit-query.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { Section } from '../ui/section.tsx';
import { Loaded } from '../ui/states.tsx';
import { NewUserForm } from './new-user.tsx';
import { useAdminTexts } from './texts.ts';
import { AccessFields, accessOf, ProfileFields } from './user-fields.tsx';

const pathOf = (userId: number) => ({ params: { path: { userId: String(userId) } } });
const refresh = [['users'], ['user'], ['me']];

const Profile = ({ user }: { user: User }) => {
  const texts = useAdminTexts();
  const { setup, save: action } = useTexts();
  const { firstName, lastName, email, telegramId, mobileNumber, locale } = user;
  const [draft, change] = useDraft({ firstName, lastName, email, telegramId, mobileNumber, locale });
  const [currentPassword, setPassword] = useState('');
  const needsPassword = useMe().id === user.id && draft.email !== email;
  const body = needsPassword ? { ...draft, currentPassword } : draft;
  const save = useWrite({
    send: () => ok(api.PUT('/users/{userId}', { ...pathOf(user.id), body })),
    done: setup.saved,
    refresh,
  });
  return (
    <Section title={texts.profile}>
      <Form action={action} isPending={save.isPending} onSubmit={() => save.mutate()}>
        <ProfileFields draft={draft} change={change} error={save.error} />
        {needsPassword && <EmailPassword error={save.error} onChange={setPassword} />}
      </Form>
    </Section>
  );
};

const Access = ({ user }: { user: User }) => {
  const texts = useAdminTexts();
  const { setup, save: action } = useTexts();
  const me = useMe();
  const [draft, change] = useDraft(accessOf(user));
  const { isAdmin, ...rest } = draft;
  const save = useWrite({
    send: () =>
      ok(api.PUT('/users/{userId}/access', { ...pathOf(user.id), body: me.isAdmin ? { ...rest, isAdmin } : rest })),
    done: setup.saved,
    refresh,
  });
  return (
    <Section title={texts.access}>
      <Form action={action} isPending={save.isPending} onSubmit={() => save.mutate()}>
        <AccessFields draft={draft} change={change} />
      </Form>
    </Section>
  );
};

const Password = ({ user }: { user: User }) => {
  const texts = useAdminTexts();
  const [newPassword, setPassword] = useState('');
  const save = useWrite({
    send: () => ok(api.PUT('/users/{userId}/password', { ...pathOf(user.id), body: { newPassword } })),
    done: texts.passwordSet,
    onDone: () => setPassword(''),
  });
  return (
    <Section title={texts.password}>
      <Form action={texts.setPassword} isPending={save.isPending} onSubmit={() => save.mutate()}>
        <PasswordInput
          label={texts.newPassword}
          description={texts.passwordHint}
          required
          autoComplete="new-password"
          value={newPassword}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={faultOf(save.error, 'newPassword')}
        />
      </Form>
    </Section>
  );
};

const SecondFactor = ({ user }: { user: User }) => {
  const texts = useOtpTexts();
  const remove = useWrite({
    send: () => ok(api.DELETE('/users/{userId}/otp', { ...pathOf(user.id), body: {} })),
    done: texts.removedForUser,
    refresh,
  });
  return (
    <Section title={texts.title}>
      <Form action={texts.remove} isPending={remove.isPending} onSubmit={() => remove.mutate()}>
        <Text>{texts.removeHint}</Text>
      </Form>
    </Section>
  );
};

const UserForms = ({ user }: { user: User }) => {
  const texts = useAdminTexts();
  const { titles } = useTexts();
  const [, go] = useLocation();
  const me = useMe();
  const can = useCan();
  const isSelf = user.id === me.id;
  // An editor who changes a user's login can log in as that user, so the editor must have all of that user's
  // permissions.
  const isWithin = isSelf || me.isAdmin || (!user.isAdmin && user.permissions.every((permission) => can(permission)));
  return (
    <>
      <Head title={user.username} back={{ href: '/users', label: titles.users }}>
        <AuditLink kind="user" id={user.id} />
        {isWithin && <PersonalDataLink kind="user" id={user.id} customerId={user.customerId} />}
        {isWithin && !isSelf && (
          <DeleteButton
            name={user.username}
            text={texts.deleteUser}
            send={() => ok(api.DELETE('/users/{userId}', pathOf(user.id)))}
            refresh={[['users']]}
            onDone={() => go('/users')}
          />
        )}
      </Head>
      <Stack className="narrow">
        {!isWithin && <Alert color="yellow">{texts.hasMorePermissions}</Alert>}
        <Profile user={user} />
        {isWithin && <Access user={user} />}
        {isWithin && !isSelf && <Password user={user} />}
        {isWithin && !isSelf && user.hasOtp && <SecondFactor user={user} />}
      </Stack>
    </>
  );
};

const Existing = ({ userId }: { userId: number }) => {
  const user = useEditQuery(['user', userId], () => ok(api.GET('/users/{userId}', pathOf(userId))));
  return <Loaded query={user}>{(found) => <UserForms user={found} />}</Loaded>;
};

export const UserPage = () => {
  const { userId = '' } = useParams();
  return userId === 'new' ? <NewUserForm /> : <Existing key={userId} userId={Number(userId)} />;
};
