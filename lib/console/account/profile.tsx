import { Alert, List, NativeSelect, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { UserUpdate } from '#openapi';
import { api } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { useMe } from '../session/session.tsx';
import { languageOptions, useTexts } from '../texts/texts.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { useTitle } from '../ui/title.ts';
import { EmailPassword } from './email-password.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

const self = { params: { path: { userId: 'me' } } } as const;

const Profile = () => {
  const { account: texts, save } = useTexts();
  const me = useMe();
  const [email, setEmail] = useState(me.email);
  const isMoved = email !== me.email;
  const client = useQueryClient();
  const write = useWrite({
    send: (body: UserUpdate) => ok(api.PUT('/users/{userId}', { ...self, body })),
    done: texts.saved,
    onDone: (user) => client.setQueryData(meQuery.queryKey, user),
  });
  const submit = (form: HTMLFormElement) => {
    const { telegramId, mobileNumber, currentPassword, ...rest } = fieldValues(
      form,
      'firstName',
      'lastName',
      'locale',
      'telegramId',
      'mobileNumber',
      'currentPassword',
    );
    write.mutate({
      ...rest,
      email,
      ...(isMoved && { currentPassword }),
      telegramId: telegramId || null,
      mobileNumber: mobileNumber || null,
    });
  };
  const field = (name: 'firstName' | 'lastName' | 'mobileNumber' | 'telegramId', label: string) => (
    <TextInput name={name} label={label} defaultValue={me[name] ?? ''} error={faultOf(write.error, name)} />
  );
  return (
    <Form action={save} isPending={write.isPending} onSubmit={submit}>
      <Title order={2}>{texts.profile}</Title>
      {field('firstName', texts.firstName)}
      {field('lastName', texts.lastName)}
      <TextInput
        label={texts.email}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={faultOf(write.error, 'email')}
      />
      {isMoved && <EmailPassword error={write.error} />}
      {field('mobileNumber', texts.mobile)}
      {field('telegramId', texts.telegram)}
      <NativeSelect
        name="locale"
        label={texts.language}
        defaultValue={me.locale}
        data={Object.entries(languageOptions(texts.languages, me.locale)).map(([value, label]) => ({ value, label }))}
      />
    </Form>
  );
};

const Password = () => {
  const { account: texts, reset } = useTexts();
  const client = useQueryClient();
  const write = useWrite({
    send: (body: { currentPassword: string; newPassword: string }) =>
      ok(api.PUT('/users/{userId}/password', { ...self, body })),
    done: texts.changed,
    // Changing the password ends all sessions, including this one.
    onDone: () => client.setQueryData(meQuery.queryKey, null),
  });
  const submit = (form: HTMLFormElement) => write.mutate(fieldValues(form, 'currentPassword', 'newPassword'));
  const field = (name: 'currentPassword' | 'newPassword', label: string, autoComplete: string) => (
    <PasswordInput name={name} label={label} autoComplete={autoComplete} required error={faultOf(write.error, name)} />
  );
  return (
    <Form action={texts.change} isPending={write.isPending} onSubmit={submit}>
      <Title order={2}>{texts.password}</Title>
      {field('currentPassword', texts.current, 'current-password')}
      {field('newPassword', reset.newPassword, 'new-password')}
    </Form>
  );
};

const Permissions = () => {
  const { account: texts, permissions } = useTexts();
  const me = useMe();
  if (me.isAdmin) return <Alert>{texts.systemAdmin}</Alert>;
  return (
    <List>
      <List.Item>{texts.basics}</List.Item>
      {me.permissions.map((permission) => (
        <List.Item key={permission}>{permissions[permission]}</List.Item>
      ))}
    </List>
  );
};

/** The user's account page. */
export const ProfilePage = () => {
  const { account: texts } = useTexts();
  const { username } = useMe();
  useTitle(texts.title);
  return (
    <Stack gap="xl">
      <Title order={1}>{username}</Title>
      <div className="cards">
        <Paper withBorder p="lg">
          <Profile />
        </Paper>
        <Stack>
          <Paper withBorder p="lg">
            <Password />
          </Paper>
          <Paper withBorder p="lg">
            <SecondFactor />
          </Paper>
          <Paper withBorder p="lg">
            <Title order={2} mb="md">
              {texts.permissions}
            </Title>
            <Permissions />
          </Paper>
        </Stack>
      </div>
      <Paper withBorder p="lg">
        <Sessions />
      </Paper>
      <Paper withBorder p="lg">
        <Tokens />
      </Paper>
    </Stack>
  );
};
