import { onlineManager } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useNow } from '../ui/now.ts';

/** How long (ms) reads may take or fail before the console shows that it is reconnecting. */
const RECONNECTING_MS = 5_000;
/** How long (ms) reads may take or fail before the connection counts as lost. */
const LOST_MS = 30_000;

/** Whether the screen receives alarms. `at` is the time (ms) of the last successful read; 0 before the first. */
export type Connection = { state: 'connected' | 'reconnecting' | 'lost'; at: number; isOnline: boolean };

const isOnline = (): boolean => onlineManager.isOnline();
const useIsOnline = (): boolean =>
  useSyncExternalStore((onChange) => onlineManager.subscribe(onChange), isOnline, isOnline);

type Read = { dataUpdatedAt: number; isError: boolean; fetchStatus: string };

/**
 * Returns the connection state. It depends on how long the current read has been in progress: browsers wake background
 * tabs only once a minute, so the age of the data says nothing.
 */
export const useConnection = (reads: readonly Read[]): Connection => {
  const hasNetwork = useIsOnline();
  const now = useNow();
  const isTrying = !hasNetwork || reads.some(({ isError, fetchStatus }) => isError || fetchStatus !== 'idle');
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => setSince(isTrying ? Date.now() : null), [isTrying]);
  const times = reads.map(({ dataUpdatedAt }) => dataUpdatedAt);
  const at = times.length === 0 || times.includes(0) ? 0 : Math.min(...times);
  const late = since === null ? 0 : now - since;
  if (late >= LOST_MS) return { state: 'lost', at, isOnline: hasNetwork };
  return { state: late >= RECONNECTING_MS ? 'reconnecting' : 'connected', at, isOnline: hasNetwork };
};
