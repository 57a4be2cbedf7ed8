import { ArrowPathIcon, EyeSlashIcon, WifiIcon } from '@heroicons/react/24/outline';
import { useLocation } from 'wouter';
import { type Alarms, useAlarms } from '../overview/alarms-provider.tsx';
import { coverageOf } from '../overview/coverage.ts';
import { GAPS_ID } from '../overview/unwatched.tsx';
import { hasGap } from '../overview/watch-queries.ts';
import { OnDutyCount } from '../roster/on-duty-count.tsx';
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

/** How many rooms are watched. It leads to what is not. */
const Watched = ({ watch, isWatchUnknown }: Alarms) => {
  const { overview: texts } = useTexts();
  const [location, go] = useLocation();
  if (!watch && !isWatchUnknown) return null;
  const coverage = watch && coverageOf(watch);
  const isWhole = watch !== undefined && !hasGap(watch);
  const text = coverage ? texts.watchedOf(coverage.watched, coverage.all) : texts.watchedUnknown;
  if (isWhole) return <span className="read wide">{text}</span>;
  const show = () => {
    if (location !== '/') go('/');
    // The station may have to be rendered first.
    requestAnimationFrame(() => document.getElementById(GAPS_ID)?.scrollIntoView({ block: 'start' }));
  };
  return (
    <button type="button" className="read gap" onClick={show}>
      <EyeSlashIcon className="icon" />
      {text}
    </button>
  );
};

/** The line above every page: the connection, what is watched, the sound, and the account. */
export const StatusLine = () => {
  const alarms = useAlarms();
  return (
    <header className="bar">
      {alarms && <ConnectionState {...alarms} />}
      {alarms && <Watched {...alarms} />}
      {alarms && <OnDutyCount customerId={alarms.customerId} />}
      <span className="end">
        {alarms && <SoundControl />}
        <AccountMenu />
      </span>
    </header>
  );
};
