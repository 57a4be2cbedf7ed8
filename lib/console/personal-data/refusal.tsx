import { Alert, Stack, Text } from '@mantine/core';
import { Problem } from '#lib/client/problem.ts';
import { OidcButton } from '../session/oidc.tsx';

/** Why nothing began, unless a field says it. Whose login is too old is led to a new one, and back to this page. */
export const Refusal = ({ error }: { error: unknown }) => {
  if (!(error instanceof Problem) || error.faults.length > 0) return null;
  return (
    <Alert color="red" role="alert">
      <Stack align="start">
        <Text>{error.message}</Text>
        {error.code === 'login_too_old' && <OidcButton prompt="login" />}
      </Stack>
    </Alert>
  );
};
