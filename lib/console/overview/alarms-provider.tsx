import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
import { logoUrl, logoWithBadge } from '#functions/api/console/logo.ts';
import type { OnDuty, Watch } from '#openapi';
import { useMe } from '../session/session.tsx';
import { useCustomerId } from '../shell/customer.tsx';
import { useNow } from '../ui/now.ts';
import { TitlePrefix } from '../ui/title.ts';
import { type Alarm, alarmsOf, withOpenFalls } from './alarms.ts';
import { boardOf, type Row } from './board.ts';
import { type Connection, useConnection } from './connection.ts';
import { hitsQuery, merged } from './hits.ts';
import { stationQuery } from './station-query.ts';

const MINUTE = 60_000;

/** The current situation at a customer, shared by all pages. */
export type Alarms = {
  customerId: number;
  /** The situation in the rooms. Rooms that need someone come first. */
  rows: readonly Row[];
  /** Alarms from the last 24 hours. */
  alarms: readonly Alarm[];
  /** The number of other sensors with falls, which are not listed. */
  more: number;
  /** Whether hits and falls are loaded. Without them, an alarm may be missing. */
  isKnown: boolean;
  /** Whether rule hits are loaded. */
  hasHits: boolean;
  /** Whether all hits from the last 24 hours are loaded. */
  isWhole: boolean;
  error: unknown;
  watch: Watch | undefined;
  /** Whether the watch could not be read. */
  isWatchUnknown: boolean;
  onDuty: readonly OnDuty[];
  connection: Connection;
  /** Reads everything now. */
  refetch: () => void;
};

const Context = createContext<Alarms | null>(null);

/** Returns the customer's alarms; null if no customer is chosen. */
export const useAlarms = (): Alarms | null => use(Context);

/** Returns the rows for rooms that someone needs to go to. */
export const openRows = ({ rows }: Alarms): Row[] => rows.filter(({ kind }) => kind === 'open');

/** Reads a customer's alarms. Nothing is read while no customer is chosen. */
const useRead = (customerId: number | null): Alarms | null => {
  const { id: accountId, display = false } = useMe();
  // Anyone could be standing in front of a display.
  const userId = display ? null : accountId;
  const enabled = customerId !== null;
  const id = customerId ?? 0;
  const station = useQuery({ ...stationQuery(id), enabled });
  const hits = useQuery({ ...hitsQuery(id), enabled });
  const connection = useConnection(hits.data === undefined ? [station, hits] : [station]);
  const minute = useNow(MINUTE);
  const { alarms, rows } = useMemo(() => {
    // The station may have responded before all hits were read. `minute` is up to a minute old, so a hit within the
    // next minute is not from the future.
    const known = merged(hits.data, station.data?.changed ?? [], minute + MINUTE);
    const found = withOpenFalls(alarmsOf(known.hits), station.data?.falls ?? []);
    return { alarms: found.alarms, rows: boardOf(found.alarms, found.unreported, userId, minute) };
  }, [hits.data, station.data, userId, minute]);
  if (customerId === null) return null;
  return {
    customerId,
    rows,
    alarms,
    more: station.data?.more ?? 0,
    isKnown: station.data !== undefined && hits.data !== undefined,
    hasHits: hits.data !== undefined,
    isWhole: hits.data?.isWhole !== false,
    error: (station.data === undefined && station.error) || (hits.data === undefined && hits.error) || null,
    watch: station.data?.watch,
    isWatchUnknown: station.isError && station.data === undefined,
    onDuty: station.data?.onDuty ?? [],
    connection,
    refetch: () => void Promise.all([station.refetch(), ...(hits.data === undefined ? [hits.refetch()] : [])]),
  };
};

/** Shows a count on the browser tab icon. 0 shows none. */
const useBadge = (count: number): void => {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon) icon.href = count === 0 ? logoUrl : logoWithBadge(count);
    return () => {
      if (icon) icon.href = logoUrl;
    };
  }, [count]);
};

/** Reads the alarms for all pages, and shows their number in the title and on the browser tab icon. */
export const AlarmsProvider = ({ children }: { children: ReactNode }) => {
  const alarms = useRead(useCustomerId());
  const count = alarms ? openRows(alarms).length + alarms.more : 0;
  useBadge(count);
  const mark = alarms?.connection.state === 'lost' ? '⚠ ' : '';
  return (
    <TitlePrefix value={mark + (count > 0 ? `(${count}) ` : '')}>
      <Context value={alarms}>{children}</Context>
    </TitlePrefix>
  );
};
