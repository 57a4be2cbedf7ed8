import { Alert, Anchor, Button, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { lostKey } from '../api/queries.ts';
import { useTexts } from '../texts/texts.tsx';
import { fieldsOf } from '../ui/form.ts';
import { useTitle } from '../ui/title.ts';
import { useLogin } from './session.tsx';

/** The login. It stands at the address of the page that was asked for, which follows it. */
export const LoginPage = () => {
  const { login: texts } = useTexts();
  const login = useLogin();
  const client = useQueryClient();
  const wasLost = client.getQueryData(lostKey) === true;
  useTitle(texts.title);
  useEffect(() => document.querySelector<HTMLInputElement>('input[name=username]')?.focus(), []);
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          login.mutate(fieldsOf(event.currentTarget, 'username', 'password'));
        }}
      >
        <Stack>
          <Title order={1} size="h2">
            {texts.title}
          </Title>
          {wasLost && <Alert color="yellow">{texts.lost}</Alert>}
          <TextInput name="username" label={texts.username} autoComplete="username" required />
          <PasswordInput name="password" label={texts.password} autoComplete="current-password" required />
          <Button type="submit" loading={login.isPending}>
            {texts.submit}
          </Button>
          <Anchor component={Link} href="/reset">
            {texts.forgot}
          </Anchor>
        </Stack>
      </form>
    </Paper>
  );
};
