import { Anchor, Text, Title } from '@mantine/core';
import { Link, Route, Switch, useLocation } from 'wouter';
import { pages } from '../routes.tsx';
import { useCan } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CustomerProvider } from './customer.tsx';
import { Navigation } from './navigation.tsx';
import { Refused } from './refused.tsx';
import './shell.css';

const NotFound = () => {
  const texts = useTexts();
  return (
    <>
      <Title order={1}>{texts.nothingHere}</Title>
      <Text mt="md">
        <Anchor component={Link} href="/">
          {texts.toOverview}
        </Anchor>
      </Text>
    </>
  );
};

const Content = () => {
  const can = useCan();
  const [location] = useLocation();
  return (
    <main id="content" tabIndex={-1}>
      <Boundary of={location}>
        <Switch>
          {pages.map(({ path, page: Page, needs }) => (
            <Route key={path} path={path}>
              {needs !== undefined && !can(needs) ? <Refused needs={needs} /> : <Page />}
            </Route>
          ))}
          <Route component={NotFound} />
        </Switch>
      </Boundary>
    </main>
  );
};

/** The frame of every page: navigation, and the status line with the account menu. */
export const Shell = () => {
  const texts = useTexts();
  return (
    <CustomerProvider>
      <div className="app">
        <a className="skip" href="#content">
          {texts.skip}
        </a>
        <Navigation count={0} />
        <header className="bar">
          <span className="end">
            <AccountMenu />
          </span>
        </header>
        <Content />
      </div>
    </CustomerProvider>
  );
};
