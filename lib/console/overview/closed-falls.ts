import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Alarm as ListedAlarm } from '#openapi';
import { fetchAlarms } from '../alarms/queries.ts';
import { useNow } from '../ui/now.ts';
import { type Alarm, MERGE_WINDOW_MS, SHIFT } from './alarms.ts';
import type { Alarms } from './alarms-provider.tsx';
import { fallKey } from './falls.ts';
import { DAY } from './hits.ts';
import { MAX_PER_PAGE } from './watch-queries.ts';

/** A fall that has ended and was not reported by any rule. */
export type ClosedFall = ListedAlarm;

/** The minimum time (ms) between two reads. */
const MIN_INTERVAL_MS = 60_000;

/**
 * Returns the ended falls that no rule reported. Falls in `alarms` are left out as well: rules reported them, but only
 * through events that are not urgent.
 */
export const unreportedFalls = (
  listed: readonly ListedAlarm[],
  alarms: readonly Alarm[],
  now: number,
): ClosedFall[] => {
  const isReported = ({ sensorId, createDate }: ListedAlarm): boolean =>
    alarms.some(
      (alarm) => alarm.isFall && alarm.sensorId === sensorId && Math.abs(alarm.since - createDate) < MERGE_WINDOW_MS,
    );
  return listed.filter(
    (alarm) =>
      alarm.situation.startsWith('fall') &&
      alarm.hitIds.length === 0 &&
      (alarm.overDate ?? 0) > now - SHIFT &&
      !isReported(alarm),
  );
};

/**
 * The most recent read of closed falls: how many times the open falls had changed by that time, and when (ms) the read
 * succeeded or failed.
 */
type Read = { changes: number | undefined; at: number };

/**
 * Returns how long (ms) to wait before reading closed falls; false if the open falls have not changed since the last
 * read.
 */
export const nextRead = (changes: number, read: Read, now: number): number | false =>
  read.changes === changes ? false : Math.max(1, read.at + MIN_INTERVAL_MS - now);

/**
 * Returns how many times a value has changed. The changes are counted because a fall that begins and ends between two
 * reads leaves the same open falls as before.
 */
const useChanges = (value: string): number => {
  const [seen, setSeen] = useState({ value, changes: 0 });
  if (seen.value !== value) setSeen({ value, changes: seen.changes + 1 });
  return seen.changes;
};

/**
 * Returns the falls that ended in this shift and that no rule reported. A fall has ended once it is not among the open
 * falls, so these falls are read only when the page is opened and when the open falls change, at most once a minute.
 */
export const useClosedFalls = ({ customerId, rows, alarms }: Alarms): ClosedFall[] => {
  const now = useNow(MIN_INTERVAL_MS);
  const open = rows
    .flatMap(({ items }) => items.flatMap(({ alarm, fall }) => (fall && !alarm ? [fallKey(fall)] : [])))
    .toSorted()
    .join();
  const changes = useChanges(open);
  const { data } = useQuery({
    queryKey: ['alarms', customerId, 'closed falls'],
    queryFn: async () => {
      const query = { from: Date.now() - DAY, state: 'over', perPage: MAX_PER_PAGE } as const;
      return { changes, listed: (await fetchAlarms(customerId, query)).alarms };
    },
    staleTime: MIN_INTERVAL_MS,
    refetchInterval: ({ state: { data: known, dataUpdatedAt, errorUpdatedAt } }) =>
      nextRead(changes, { changes: known?.changes, at: Math.max(dataUpdatedAt, errorUpdatedAt) }, Date.now()),
  });
  return unreportedFalls(data?.listed ?? [], alarms, now);
};
