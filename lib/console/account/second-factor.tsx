import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { faultOf, ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { useLogout, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { useTitle } from '../ui/title.ts';
import { useOtpTexts } from './otp-texts.ts';
import { self } from './queries.ts';
import { SetUpOtp } from './set-up-otp.tsx';

const Remove = () => {
  const texts = useOtpTexts();
  const { login } = useTexts();
  const client = useQueryClient();
  const write = useWrite({
    send: (password: string) => ok(api.DELETE('/users/{userId}/otp', { params: self, body: { password } })),
    done: texts.removed,
    // The API has ended all sessions, including this one.
    onDone: () => client.setQueryData(meQuery.queryKey, null),
  });
  return (
    <Form
      action={texts.remove}
      isPending={write.isPending}
      onSubmit={(form) => write.mutate(fieldValues(form, 'password').password)}
    >
      <Text>{texts.isOn}</Text>
      <PasswordInput
        name="password"
        label={login.password}
        autoComplete="current-password"
        required
        error={faultOf(write.error, 'password')}
      />
    </Form>
  );
};

/** Sets up or removes the user's second factor. */
export const SecondFactor = () => {
  const texts = useOtpTexts();
  const { hasOtp } = useMe();
  return (
    <Stack>
      <Title order={2}>{texts.title}</Title>
      {hasOtp ? <Remove /> : <SetUpOtp />}
    </Stack>
  );
};

/** The only page shown to users who first have to set up their second factor. */
export const OtpFirstPage = () => {
  const texts = useOtpTexts();
  const { logOut } = useTexts();
  const logout = useLogout();
  useTitle(texts.title);
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <Text>{texts.required}</Text>
        <SetUpOtp />
        <Button variant="default" onClick={() => logout.mutate()}>
          {logOut}
        </Button>
      </Stack>
    </Paper>
  );
};
