import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Route, Router, Switch } from 'wouter';
import { basePath } from './api/client.ts';
import { queryClient } from './api/queries.ts';
import { LoginPage } from './session/login.tsx';
import { InvitationPage, ResetPage } from './session/reset.tsx';
import { MeProvider, useSession } from './session/session.tsx';
import { Shell } from './shell/shell.tsx';
import { LanguageProvider } from './texts/texts.tsx';
import { theme } from './theme.ts';
import { Boundary } from './ui/boundary.tsx';
import { ConfirmProvider } from './ui/confirm.tsx';
import { lazyPage } from './ui/lazy-page.tsx';
import { Loaded } from './ui/states.tsx';

const OtpFirst = lazyPage('OtpFirstPage');
const OidcPage = lazyPage('OidcPage');

/** Shows the console pages, or the login when no one is logged in. */
const Gate = () => {
  const session = useSession();
  return (
    <LanguageProvider user={session.data?.locale}>
      <ConfirmProvider>
        <Boundary>
          <Switch>
            <Route path="/reset" component={ResetPage} />
            <Route path="/invitation" component={InvitationPage} />
            <Route path="/login/oidc" component={OidcPage} />
            <Route>
              <Loaded query={session}>
                {(me) =>
                  me ? (
                    <MeProvider key={me.id} me={me}>
                      {me.mustSetOtp ? <OtpFirst /> : <Shell />}
                    </MeProvider>
                  ) : (
                    <LoginPage />
                  )
                }
              </Loaded>
            </Route>
          </Switch>
        </Boundary>
      </ConfirmProvider>
    </LanguageProvider>
  );
};

/**
 * The console. The Content-Security-Policy refuses all styles except those in the page's own file, so the UI library's
 * run-time styles are turned off. Colors are in tokens.css.
 */
export const App = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <QueryClientProvider client={queryClient}>
      <Notifications />
      <Router base={basePath}>
        <Gate />
      </Router>
    </QueryClientProvider>
  </MantineProvider>
);
