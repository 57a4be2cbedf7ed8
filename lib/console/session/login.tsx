import { Alert, Anchor, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { sessionEndedKey } from '../api/queries.ts';
import { useTexts } from '../texts/texts.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { Sign } from '../ui/sign.tsx';
import { useTitle } from '../ui/title.ts';
import { OidcButton } from './oidc.tsx';
import { useLogin } from './session.tsx';

/** The login page. It is shown at the URL of the requested page, which replaces it after the login. */
export const LoginPage = () => {
  const { login: texts, console: name } = useTexts();
  const [needsOtp, setNeedsOtp] = useState(false);
  const login = useLogin(() => setNeedsOtp(true));
  const client = useQueryClient();
  const hasEnded = client.getQueryData(sessionEndedKey) === true;
  useTitle(texts.title);
  const submit = (form: HTMLFormElement) => {
    const credentials = fieldValues(form, 'username', 'password');
    login.mutate(needsOtp ? { ...credentials, ...fieldValues(form, 'otp') } : credentials);
  };
  const first = needsOtp ? 'otp' : 'username';
  useEffect(() => document.querySelector<HTMLInputElement>(`input[name=${first}]`)?.focus(), [first]);
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <Text component="div" className="brand" p={0}>
          <Sign />
          {name}
        </Text>
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <Form action={texts.submit} isPending={login.isPending} onSubmit={submit} isAlone>
          {hasEnded && <Alert color="yellow">{texts.sessionEnded}</Alert>}
          <TextInput name="username" label={texts.username} autoComplete="username" required />
          <PasswordInput name="password" label={texts.password} autoComplete="current-password" required />
          {needsOtp && (
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
