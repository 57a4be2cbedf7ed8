import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api, basePath } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';

/** Where the page that was asked for is kept while the browser is at the issuer. */
export const KEPT = 'page after the login';

/** The button that leads to the issuer, where there is one; with `prompt` it asks even those who are logged in there. */
export const OidcButton = ({ prompt }: { prompt?: 'login' }) => {
  const { login: texts } = useTexts();
  const issuer = useQuery({ queryKey: ['issuer'], queryFn: () => ok(api.GET('/users/login/oidc')) });
  const begin = useWrite({
    send: () => ok(api.POST('/users/login/oidc', { params: { query: { ...(prompt && { prompt }) } } })),
    onDone: ({ url }) => {
      sessionStorage.setItem(KEPT, location.pathname.slice(basePath.length) + location.search);
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
