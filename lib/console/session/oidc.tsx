import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api, basePath } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';

/** The session storage key for the requested page while the browser is at the issuer. */
export const RETURN_PATH_KEY = 'page after the login';

/**
 * The button that leads to the issuer, if there is one. With `prompt`, the issuer asks for a login even if the user
 * still has a session there.
 */
export const OidcButton = ({ prompt }: { prompt?: 'login' }) => {
  const { login: texts } = useTexts();
  const issuer = useQuery({ queryKey: ['issuer'], queryFn: () => ok(api.GET('/users/login/oidc')) });
  const begin = useWrite({
    send: () => ok(api.POST('/users/login/oidc', { params: { query: { ...(prompt && { prompt }) } } })),
    onDone: ({ url }) => {
      sessionStorage.setItem(RETURN_PATH_KEY, location.pathname.slice(basePath.length) + location.search);
      location.assign(url);
    },
  });
  const name = issuer.data?.name ?? null;
  if (name === null) return null;
  return (
    <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
      {texts.logInWith(name)}
    </Button>
  );
};
