import { Anchor, Burger, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { type Page, pages } from '../routes.tsx';
import { useMay } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { AccountMenu } from './account-menu.tsx';
import { CustomerProvider, CustomerSelect } from './customer.tsx';
import './shell.css';

const useOffered = (): readonly Page[] => {
  const may = useMay();
  return pages.filter(({ needs }) => may(needs));
};

const Entries = () => {
  const texts = useTexts();
  const [location] = useLocation();
  const isHere = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <nav aria-label={texts.pages} className="entries">
      {useOffered().map(({ path, label }) =>
        label ? (
          <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined}>
            {label(texts)}
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
  const offered = useOffered();
  const [location] = useLocation();
  return (
    <main id="content" tabIndex={-1}>
      <Boundary of={location}>
        <Switch>
          {offered.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Boundary>
    </main>
  );
};

/** The frame of every page for users: the navigation, the customer and the account menu. */
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
          {texts.console}
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
