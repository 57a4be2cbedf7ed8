import { Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { faultOf, ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { useTitle } from '../ui/title.ts';

const AskForCode = ({ onSent }: { onSent: () => void }) => {
  const { reset: texts, login } = useTexts();
  const ask = useWrite({
    send: (body: { username: string }) => ok(api.POST('/users/password-reset', { body })),
    done: texts.sent,
    onDone: onSent,
  });
  const haveCode = (
    <Button variant="default" onClick={onSent}>
      {texts.haveCode}
    </Button>
  );
  return (
    <Form
      action={texts.send}
      isPending={ask.isPending}
      onSubmit={(form) => ask.mutate(fieldValues(form, 'username'))}
      extra={haveCode}
      isAlone
    >
      <Text>{texts.explain}</Text>
      <TextInput name="username" label={login.username} autoComplete="username" required />
    </Form>
  );
};

/** Sets a password with a code: either an invitation code, or one entered by the user. */
const SetPassword = ({ code }: { code?: string }) => {
  const { reset: texts } = useTexts();
  const [, go] = useLocation();
  const set = useWrite({
    send: (body: { code: string; newPassword: string }) => ok(api.POST('/users/password-reset/confirm', { body })),
    done: texts.done,
    onDone: () => go('/'),
  });
  return (
    <Form
      action={texts.set}
      isPending={set.isPending}
      onSubmit={(form) =>
        set.mutate({ ...fieldValues(form, 'code', 'newPassword'), ...(code !== undefined && { code }) })
      }
      isAlone
    >
      {code === undefined && <TextInput name="code" label={texts.code} autoComplete="one-time-code" required />}
      <PasswordInput
        name="newPassword"
        label={texts.newPassword}
        description={texts.passwordHint}
        error={faultOf(set.error, 'newPassword')}
        autoComplete="new-password"
        required
      />
    </Form>
  );
};

/** The page for a forgotten password: sends a code by email, then sets a new password with the code. */
export const ResetPage = () => {
  const { reset: texts } = useTexts();
  const [hasCode, setHasCode] = useState(false);
  const config = useQuery({ queryKey: ['server config'], queryFn: () => ok(api.GET('/server/config')) });
  useTitle(texts.title);
  const isOff = config.data?.passwordResetEnabled === 'false';
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        {isOff && <Text>{texts.unavailable}</Text>}
        {!isOff && (hasCode ? <SetPassword /> : <AskForCode onSent={() => setHasCode(true)} />)}
        <Anchor component={Link} href="/">
          {texts.back}
        </Anchor>
      </Stack>
    </Paper>
  );
};

/** The page an invitation links to. The URL fragment is a code. */
export const InvitationPage = () => {
  const { reset: texts } = useTexts();
  useTitle(texts.welcome);
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <Title order={1} size="h2">
          {texts.welcome}
        </Title>
        <Text>{texts.invited}</Text>
        <SetPassword code={location.hash.slice(1)} />
      </Stack>
    </Paper>
  );
};
