import { Alert, Text } from '@mantine/core';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { SLOW_REFETCH_MS } from './watch-queries.ts';

/**
 * The age (ms) from which the shown alarms are out of date. They are read every five seconds, but browsers wake background
 * tabs only once a minute.
 */
const MAX_AGE_MS = 65_000;

/** How current the shown data is. `failing` means that the last read failed, but the data is not out of date yet. */
export type Freshness = { state: 'fresh' | 'failing' | 'outdated'; at: number; isOnline: boolean };

const useIsOnline = (): boolean =>
  useSyncExternalStore(
    (onChange) => onlineManager.subscribe(onChange),
    () => onlineManager.isOnline(),
  );

type Read = { dataUpdatedAt: number; isError: boolean };
/** Returns how current the alarms and the watch are. The watch was read at `watchedAt` (ms; 0 if not yet). */
export const useFreshness = (alarms: readonly Read[], watchedAt: number): Freshness => {
  const isOnline = useIsOnline();
  const now = useNow();
  const read = alarms.map(({ dataUpdatedAt }) => dataUpdatedAt).filter((at) => at > 0);
  const at = read.length === 0 ? 0 : Math.min(...read);
  const isOld = at > 0 && now - at > MAX_AGE_MS;
  const isWatchOld = watchedAt > 0 && now - watchedAt > MAX_AGE_MS + SLOW_REFETCH_MS;
  const shownAt = isWatchOld && !isOld ? watchedAt : at;
  if (!isOnline || isOld || isWatchOld) return { state: 'outdated', at: shownAt, isOnline };
  return { state: alarms.some(({ isError }) => isError) ? 'failing' : 'fresh', at, isOnline };
};

/** States since when the page is out of date; after a single failed read, how old the data is. */
export const OutdatedNotice = ({ fresh: { state, at, isOnline } }: { fresh: Freshness }) => {
  const { overview: texts, stale } = useTexts();
  const dates = useDates();
  // Screen readers read the alert aloud, so it must not change every second.
  const now = useNow(60_000);
  if (state === 'fresh' || (state === 'failing' && at === 0)) return null;
  if (state === 'failing')
    return (
      <Alert color="yellow" role="status">
        {stale(dates.exact(at))}
      </Alert>
    );
  return (
    <Alert color="red" variant="filled" role="alert" title={texts.outdatedTitle} className="unwatched">
      {!isOnline && <Text>{texts.noNetwork}</Text>}
      {at > 0 && <Text>{texts.outdated(dates.second(at), dates.ago(at, Math.max(at, now)))}</Text>}
      <Text>{texts.updatesByItself}</Text>
    </Alert>
  );
};
