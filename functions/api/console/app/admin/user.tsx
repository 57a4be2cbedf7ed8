import { Alert, Button, Group, Paper, PasswordInput, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { User, UserUpdate } from 'openapi';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useMay, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { NewUserForm } from './new-user.tsx';
import { AccessFields, accessOf, ProfileFields } from './user-fields.tsx';

const pathOf = (userId: number) => ({ params: { path: { userId } } });
const refresh = [['users'], ['user'], ['me']];

type PartProps = { title: string; action: string; isPending: boolean; onSubmit: () => void; children: ReactNode };
const Part = ({ title, action, isPending, onSubmit, children }: PartProps) => {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Paper component="section" aria-label={title} withBorder p="md">
      <form onSubmit={submit}>
        <Stack>
          <Title order={2} size="h3">
            {title}
          </Title>
          {children}
          <Group>
            <Button type="submit" loading={isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
};

const Profile = ({ user }: { user: User }) => {
  const { admin: texts, setup, save: action } = useTexts();
  const { firstName, lastName, email, telegramId, mobileNumber } = user;
  const locale = user.locale as UserUpdate['locale'];
  const [draft, change] = useDraft({ ...{ firstName, lastName, email, telegramId, mobileNumber, locale } });
  const save = useWrite({
    send: () => ok(api.PUT('/users/{userId}', { ...pathOf(user.id), body: draft })),
    done: setup.saved,
    refresh,
  });
  return (
    <Part title={texts.profile} action={action} isPending={save.isPending} onSubmit={() => save.mutate()}>
      <ProfileFields draft={draft} change={change} error={save.error} />
    </Part>
  );
};

const Access = ({ user }: { user: User }) => {
  const { admin: texts, setup, save: action } = useTexts();
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
    <Part title={texts.access} action={action} isPending={save.isPending} onSubmit={() => save.mutate()}>
      <AccessFields draft={draft} change={change} />
    </Part>
  );
};

const Password = ({ user }: { user: User }) => {
  const { admin: texts } = useTexts();
  const [newPassword, setPassword] = useState('');
  const save = useWrite({
    send: () => ok(api.PUT('/users/{userId}/password', { ...pathOf(user.id), body: { newPassword } })),
    done: texts.passwordSet,
    onDone: () => setPassword(''),
  });
  return (
    <Part title={texts.password} action={texts.setPassword} isPending={save.isPending} onSubmit={() => save.mutate()}>
      <PasswordInput
        label={texts.newPassword}
        description={texts.passwordHint}
        required
        autoComplete="new-password"
        value={newPassword}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        error={faultOf(save.error, 'newPassword')}
      />
    </Part>
  );
};

const Shown = ({ user }: { user: User }) => {
  const { admin: texts } = useTexts();
  const [, go] = useLocation();
  const me = useMe();
  const may = useMay();
  const isSelf = user.id === me.id;
  // Whoever sets what somebody logs in with could become them.
  const isWithin = isSelf || me.isAdmin || (!user.isAdmin && user.permissions.every((one) => may(one)));
  return (
    <>
      <Head title={user.username} back={{ href: '/users', label: texts.users }}>
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
        {!isWithin && <Alert color="yellow">{texts.moreThanYou}</Alert>}
        <Profile user={user} />
        {isWithin && <Access user={user} />}
        {isWithin && !isSelf && <Password user={user} />}
      </Stack>
    </>
  );
};

const Existing = ({ userId }: { userId: number }) => {
  const user = useQuery({
    queryKey: ['user', userId],
    queryFn: () => ok(api.GET('/users/{userId}', pathOf(userId))),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return <Loaded query={user}>{(found) => <Shown user={found} />}</Loaded>;
};

export const UserPage = () => {
  const { userId = '' } = useParams();
  return userId === 'new' ? <NewUserForm /> : <Existing key={userId} userId={Number(userId)} />;
};
