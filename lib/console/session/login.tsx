import { EyeSlashIcon } from '@heroicons/react/24/outline';
import { Anchor, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
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
import { SessionOver } from './session-over.tsx';

type LoginFormProps = { action: string; className?: string; isAlone?: boolean };

/** The login form for users and wall displays. It asks for a code if the user has a second factor. */
export const LoginForm = ({ action, className = '', isAlone = false }: LoginFormProps) => {
  const { login: texts } = useTexts();
  const [needsOtp, setNeedsOtp] = useState(false);
  const login = useLogin(() => setNeedsOtp(true));
  const submit = (form: HTMLFormElement) => {
    const credentials = fieldValues(form, 'username', 'password');
    const isDisplay = new FormData(form).has('display');
    login.mutate({
      ...credentials,
      ...(needsOtp && fieldValues(form, 'otp')),
      ...(isDisplay && { display: true }),
    });
  };
  const first = needsOtp ? 'otp' : 'username';
  useEffect(() => document.querySelector<HTMLInputElement>(`input[name=${first}]`)?.focus(), [first]);
  return (
    <Form action={action} isPending={login.isPending} onSubmit={submit} isAlone={isAlone} className={className}>
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
      <label className="check">
        <input type="checkbox" name="display" />
        <span>
          {texts.display}
          <span className="check-hint">{texts.displayHint}</span>
        </span>
      </label>
    </Form>
  );
};

/**
 * The login page. It is shown at the URL of the requested page, which replaces it after the login. After a session has
 * ended, it is the red page that warns that nothing is being watched.
 */
export const LoginPage = () => {
  const { login: texts, console: name } = useTexts();
  const endedAt = useQueryClient().getQueryData<number>(sessionEndedKey);
  useTitle(texts.title);
  if (endedAt !== undefined)
    return (
      <SessionOver endedAt={endedAt}>
        <LoginForm action={texts.goOn} className="blind-login" />
        <OidcButton />
      </SessionOver>
    );
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <div className="brand gate-brand">
          <Sign />
          {name}
        </div>
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <p className="gap-note with-icon">
          <EyeSlashIcon className="icon" />
          <span>
            <b>{texts.blind}</b> {texts.blindUntil}
          </span>
        </p>
        <LoginForm action={texts.submit} isAlone />
        <OidcButton />
        <Anchor component={Link} href="/reset">
          {texts.forgot}
        </Anchor>
      </Stack>
    </Paper>
  );
};
