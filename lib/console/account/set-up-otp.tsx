import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { OtpSecret } from '#openapi';
import { api } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { Code } from '../ui/code.tsx';
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { useOtpTexts } from './otp-texts.ts';
import { self } from './queries.ts';

const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const texts = useOtpTexts();
  return (
    <Stack>
      <Alert color="yellow" role="status">
        {texts.keepCodes}
      </Alert>
      <Code label={texts.codes}>{codes.join('\n')}</Code>
      <Button onClick={onDone}>{texts.codesSaved}</Button>
    </Stack>
  );
};

const ConfirmCode = ({ otpSecret, onCodes }: { otpSecret: OtpSecret; onCodes: (codes: readonly string[]) => void }) => {
  const texts = useOtpTexts();
  const write = useWrite({
    send: (otp: string) => ok(api.PUT('/users/{userId}/otp', { params: self, body: { otp } })),
    isQuiet: true,
    onDone: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  return (
    <Stack>
      <Text>{texts.scan}</Text>
      <QrCode text={otpSecret.uri} label={texts.picture} />
      <Code label={texts.secret}>{otpSecret.secret}</Code>
      <Form
        action={texts.turnOn}
        isPending={write.isPending}
        onSubmit={(form) => write.mutate(fieldValues(form, 'otp').otp)}
      >
        <TextInput
          name="otp"
          label={texts.code}
          required
          maxLength={12}
          inputMode="numeric"
          autoComplete="one-time-code"
          error={faultOf(write.error, 'otp') ?? write.error?.message}
        />
      </Form>
    </Stack>
  );
};

/** Sets up the second factor: shows a QR code, asks for a code from the app, then shows the recovery codes once. */
export const SetUpOtp = () => {
  const texts = useOtpTexts();
  const client = useQueryClient();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = useWrite({ send: () => ok(api.POST('/users/{userId}/otp', { params: self })) });
  // The user is refetched only now, because the page stops showing the codes once the user has a second factor.
  const done = () => void client.invalidateQueries({ queryKey: meQuery.queryKey });
  if (codes) return <RecoveryCodes codes={codes} onDone={done} />;
  if (begin.data) return <ConfirmCode otpSecret={begin.data} onCodes={setCodes} />;
  return (
    <Stack align="flex-start">
      <Text>{texts.explain}</Text>
      <Button loading={begin.isPending} onClick={() => begin.mutate()}>
        {texts.begin}
      </Button>
    </Stack>
  );
};
