import { Alert, Text } from '@mantine/core';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { SLOWLY } from './watched.ts';

/**
 * From this age (ms) on the alarms that are shown are out of date. They are read every five seconds, but browsers wake a page
 * behind others only once a minute.
 */
const OLD = 65_000;

/** How old what is shown is: as it should be, not as it should be for the moment, or out of date. */
export type Freshness = { state: 'fresh' | 'troubled' | 'late'; at: number; isOnline: boolean };

const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (onChange) => onlineManager.subscribe(onChange),
    () => onlineManager.isOnline(),
  );

type Read = { dataUpdatedAt: number; isError: boolean };
/** How fresh the alarms are, and what is known of the watch, which was read at `watchedAt` (ms; 0: not yet). */
export const useFreshness = (alarms: readonly Read[], watchedAt: number): Freshness => {
  const isOnline = useIsOnline();
  const now = useNow();
  const read = alarms.map(({ dataUpdatedAt }) => dataUpdatedAt).filter((at) => at > 0);
  const at = read.length === 0 ? 0 : Math.min(...read);
  const isOld = at > 0 && now - at > OLD;
  const isWatchOld = watchedAt > 0 && now - watchedAt > OLD + SLOWLY;
  const shownAt = isWatchOld && !isOld ? watchedAt : at;
  if (!isOnline || isOld || isWatchOld) return { state: 'late', at: shownAt, isOnline };
  return { state: alarms.some(({ isError }) => isError) ? 'troubled' : 'fresh', at, isOnline };
};

/** Says that the page is out of date, and since when; while the service has trouble for a moment, how old it is. */
export const Late = ({ fresh: { state, at, isOnline } }: { fresh: Freshness }) => {
  const { overview: texts, stale } = useTexts();
  const dates = useDates();
  // What is read aloud must not change each second.
  const now = useNow(60_000);
  if (state === 'fresh' || (state === 'troubled' && at === 0)) return null;
  if (state === 'troubled')
    return (
      <Alert color="yellow" role="status">
        {stale(dates.exact(at))}
      </Alert>
    );
  return (
    <Alert color="red" variant="filled" role="alert" title={texts.outdatedTitle} className="unwatched">
      {!isOnline && <Text>{texts.noNetwork}</Text>}
      {at > 0 && <Text>{texts.outdated(dates.second(at), dates.ago(at, now))}</Text>}
      <Text>{texts.updatesByItself}</Text>
    </Alert>
  );
};
