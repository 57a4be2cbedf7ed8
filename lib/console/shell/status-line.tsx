import { ArrowPathIcon, EyeSlashIcon, UsersIcon, WifiIcon } from '@heroicons/react/24/outline';
import { VisuallyHidden } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { type Alarms, useAlarms } from '../overview/alarms-provider.tsx';
import { coverageOf } from '../overview/coverage.ts';
import { GAPS_ID } from '../overview/unwatched.tsx';
import { hasGap } from '../overview/watch-queries.ts';
import { SearchButton } from '../search/search-button.tsx';
import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { AccountMenu } from './account-menu.tsx';
import { SoundControl } from './sound-control.tsx';
import './status-line.css';

const ConnectionState = ({ connection: { state, at } }: Alarms) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const isConnected = state === 'connected';
  const Icon = isConnected ? WifiIcon : ArrowPathIcon;
  return (
    <span className={isConnected ? 'read good' : 'read gap'} role="status" aria-label={texts.connection}>
      <Icon className="icon" />
      <b>{isConnected ? texts.connected : texts.reconnecting}</b>
      {at > 0 && <time className="not-phone" aria-hidden>{`${dates.second(at)}`}</time>}
    </span>
  );
};

/** How many rooms are watched, with a link to those that are not. */
const Watched = ({ watch, isWatchUnknown }: Alarms) => {
  const { overview: texts } = useTexts();
  const [location, go] = useLocation();
  if (!watch && !isWatchUnknown) return null;
  const coverage = watch && coverageOf(watch);
  const text = coverage ? texts.watchedOf(coverage.watched, coverage.all) : texts.watchedUnknown;
  if (watch && !hasGap(watch)) return <span className="read wide">{text}</span>;
  const show = () => {
    if (location !== '/') go('/');
    // The station may have to be rendered first.
    requestAnimationFrame(() => document.getElementById(GAPS_ID)?.scrollIntoView({ block: 'start' }));
  };
  // Gaps that do not concern falls, such as a missing rule for offline sensors, still leave every room watched.
  const isForFalls = watch?.fallsTold !== 'all' || watch.isNobodyOnDuty || watch.unheardRules.length > 0;
  return (
    <button type="button" className={isForFalls ? 'read gap' : 'read wide'} onClick={show}>
      {isForFalls && <EyeSlashIcon className="icon" />}
      {text}
    </button>
  );
};

/** Who is on duty, with a link to the roster. If a rule needs someone and no one is on duty, the gaps show that. */
const OnDuty = ({ onDuty }: Alarms) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const { display: isDisplay } = useMe();
  if (onDuty.length === 0) return null;
  const people = onDuty.map(({ name, until }) => texts.onDutyUntil(name, dates.clock(until)));
  const content = (
    <>
      <UsersIcon className="icon" />
      {texts.onDuty(onDuty.length)}
      <VisuallyHidden>{`: ${people.join(', ')}`}</VisuallyHidden>
    </>
  );
  const shown = { className: 'read wide', title: people.join('\n') };
  if (isDisplay) return <span {...shown}>{content}</span>;
  return (
    <Link href="/roster" {...shown}>
      {content}
    </Link>
  );
};

/** The line above every page: the connection, what is watched, who is on duty, the sound, and the account. */
export const StatusLine = () => {
  const alarms = useAlarms();
  return (
    <header className="bar">
      {alarms && <ConnectionState {...alarms} />}
      {alarms && <Watched {...alarms} />}
      {alarms && <OnDuty {...alarms} />}
      <span className="end">
        <SearchButton />
        {alarms && <SoundControl />}
        <AccountMenu />
      </span>
    </header>
  );
};
