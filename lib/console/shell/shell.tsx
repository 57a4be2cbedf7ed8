import { Anchor, Burger, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { logoUrl } from '#functions/api/console/logo.ts';
import { pages } from '../routes.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CustomerProvider, CustomerSelect } from './customer.tsx';
import { Refused } from './refused.tsx';
import './shell.css';

const Entries = () => {
  const texts = useTexts();
  const me = useMe();
  const can = useCan();
  const [location] = useLocation();
  const isHere = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <nav aria-label={texts.pages} className="entries">
      {pages.map(({ path, needs, entry: Entry }) =>
        Entry && can(needs) ? (
          <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined}>
            <Entry.icon className="icon" />
            {Entry.label(texts, me)}
          </Link>
        ) : null,
      )}
    </nav>
  );
};

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

/** The frame of every page: navigation, customer, and account menu. */
export const Shell = () => {
  const texts = useTexts();
  const [isOpen, menu] = useDisclosure(false);
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the user goes to another page
  useEffect(menu.close, [location]);
  return (
    <CustomerProvider>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="top">
        <Burger
          className="burger"
          opened={isOpen}
          onClick={menu.toggle}
          aria-label={texts.menu}
          aria-expanded={isOpen}
          aria-controls="pages"
          size="sm"
        />
        <Link href="/" className="brand">
          <img className="sign" src={logoUrl} alt="" />
          <span className="brand-name">{texts.console}</span>
        </Link>
        <CustomerSelect />
        <AccountMenu />
      </header>
      <div className={isOpen ? 'side open' : 'side'} id="pages">
        <Entries />
      </div>
      <Content />
    </CustomerProvider>
  );
};
