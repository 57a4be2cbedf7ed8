import { Alert, Anchor, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { logoUrl } from '#functions/api/console/logo.ts';
import { lostKey } from '../api/queries.ts';
import { useTexts } from '../texts/texts.tsx';
import { entered } from '../ui/entered.ts';
import { Form } from '../ui/form.tsx';
import { useTitle } from '../ui/title.ts';
import { OidcButton } from './oidc.tsx';
import { useLogin } from './session.tsx';

/** The login page. It is shown at the address of the requested page, which is shown after the login. */
export const LoginPage = () => {
  const { login: texts, console: name } = useTexts();
  const [asksOtp, setAsksOtp] = useState(false);
  const login = useLogin(() => setAsksOtp(true));
  const client = useQueryClient();
  const wasLost = client.getQueryData(lostKey) === true;
  useTitle(texts.title);
  const submit = (form: HTMLFormElement) => {
    const credentials = entered(form, 'username', 'password');
    login.mutate(asksOtp ? { ...credentials, ...entered(form, 'otp') } : credentials);
  };
  const first = asksOtp ? 'otp' : 'username';
  useEffect(() => document.querySelector<HTMLInputElement>(`input[name=${first}]`)?.focus(), [first]);
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <Text className="brand">
          <img className="sign" src={logoUrl} alt="" />
          {name}
        </Text>
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <Form action={texts.submit} isPending={login.isPending} onSubmit={submit} isAlone>
          {wasLost && <Alert color="yellow">{texts.lost}</Alert>}
          <TextInput name="username" label={texts.username} autoComplete="username" required />
          <PasswordInput name="password" label={texts.password} autoComplete="current-password" required />
          {asksOtp && (
            <TextInput
              name="otp"
              label={texts.appCode}
              description={texts.codeNeeded}
              required
              maxLength={64}
              autoComplete="one-time-code"
            />
          )}
        </Form>
        <OidcButton />
        <Anchor component={Link} href="/reset">
          {texts.forgot}
        </Anchor>
      </Stack>
    </Paper>
  );
};
