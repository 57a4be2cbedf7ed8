import { Anchor, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { AlarmsProvider, openRows, useAlarms } from '../overview/alarms-provider.tsx';
import { soundingOf } from '../overview/board.ts';
import { pages } from '../routes.tsx';
import { SearchProvider } from '../search/search-provider.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { useSound } from '../sound/use-sound.ts';
import { useTexts } from '../texts/texts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { useNow } from '../ui/now.ts';
import { AlarmBar } from './alarm-bar.tsx';
import { ConnectionLost } from './connection-lost.tsx';
import { CustomerProvider } from './customer.tsx';
import { Navigation } from './navigation.tsx';
import { QUIET_MS } from './not-watched.tsx';
import { Refused } from './refused.tsx';
import { SessionEnding } from './session-ending.tsx';
import { SoundBlocked } from './sound-control.tsx';
import { StatusLine } from './status-line.tsx';
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
  const { display: isDisplay = false } = useMe();
  const [location] = useLocation();
  return (
    <main id="content" tabIndex={-1}>
      <Boundary of={location}>
        <Switch>
          {pages.map(({ path, page: Page, needs, display }) => (
            <Route key={path} path={path}>
              {(needs !== undefined && !can(needs)) || (isDisplay && !display) ? (
                <Refused needs={isDisplay ? 'display' : needs} />
              ) : (
                <Page />
              )}
            </Route>
          ))}
          <Route component={NotFound} />
        </Switch>
      </Boundary>
    </main>
  );
};

/** Plays alarm sounds on every page, and replaces the page while the service cannot be reached. */
const Frame = () => {
  const texts = useTexts();
  const alarms = useAlarms();
  const [quietUntil, setQuietUntil] = useState(0);
  const isLost = alarms?.connection.state === 'lost';
  const isQuiet = useNow() < quietUntil;
  const { isBlocked } = useSound({ ...soundingOf(alarms?.rows ?? []), isLost: isLost && !isQuiet });
  const count = alarms ? openRows(alarms).length + alarms.more : 0;
  return (
    <SoundBlocked value={isBlocked}>
      {/* The page keeps what was typed into it. */}
      <div className="app" hidden={isLost}>
        <a className="skip" href="#content">
          {texts.skip}
        </a>
        <Navigation count={count} />
        <StatusLine />
        <AlarmBar />
        <SessionEnding />
        <Content />
      </div>
      {isLost && (
        <ConnectionLost alarms={alarms} isQuiet={isQuiet} onQuiet={() => setQuietUntil(Date.now() + QUIET_MS)} />
      )}
    </SoundBlocked>
  );
};

/** The frame around every page: navigation, status line, and alarms. */
export const Shell = () => (
  <CustomerProvider>
    <AlarmsProvider>
      <SearchProvider>
        <Frame />
      </SearchProvider>
    </AlarmsProvider>
  </CustomerProvider>
);
