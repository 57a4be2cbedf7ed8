import { Alert, Anchor, Paper, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { ok, Problem } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { clearUserData, meQuery } from '../api/queries.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { Loading } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { RETURN_PATH_KEY } from './oidc.tsx';

/** The page the issuer redirects the browser to. It logs in, then goes to the requested page. */
export const OidcPage = () => {
  const texts = useTexts();
  const [, go] = useLocation();
  const client = useQueryClient();
  const isSubmitted = useRef(false);
  const finish = useWrite({
    send: (query: string) => ok(api.POST('/users/login/oidc/answer', { body: { query } })),
    isQuiet: true,
    onDone: (user) => {
      clearUserData(client);
      client.setQueryData(meQuery.queryKey, user);
      go(sessionStorage.getItem(RETURN_PATH_KEY) || '/', { replace: true });
      sessionStorage.removeItem(RETURN_PATH_KEY);
    },
  });
  const { mutate } = finish;
  useEffect(() => {
    // The issuer's response can be used only once.
    if (isSubmitted.current) return;
    isSubmitted.current = true;
    mutate(location.search);
  }, [mutate]);
  useTitle(texts.login.title);
  return (
    <Paper component="main" className="gate" withBorder p="xl" radius="md">
      <Stack>
        <Title order={1} size="h2">
          {texts.login.title}
        </Title>
        {finish.error ? (
          <>
            <Alert color="red" role="alert">
              {finish.error instanceof Problem ? finish.error.message : texts.noAnswer}
            </Alert>
            <Anchor component={Link} href="/">
              {texts.login.toLogin}
            </Anchor>
          </>
        ) : (
          <>
            {texts.login.loggingIn}
            <Loading rows={1} />
          </>
        )}
      </Stack>
    </Paper>
  );
};
