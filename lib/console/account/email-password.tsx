import { PasswordInput } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import { useTexts } from '../texts/texts.tsx';

type Props = { error: unknown; onChange?: (password: string) => void };

/** The password field. Users need their password to change their own email address. */
export const EmailPassword = ({ error, onChange }: Props) => {
  const { account: texts } = useTexts();
  return (
    <PasswordInput
      name="currentPassword"
      label={texts.current}
      description={texts.emailNote}
      autoComplete="current-password"
      required
      error={faultOf(error, 'currentPassword')}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
    />
  );
};
