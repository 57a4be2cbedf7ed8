import { ChevronRightIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, Group, Stack, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { ListedSensor, paths } from '#openapi';
import { lastFallsQuery } from '../alarms/queries.ts';
import { api } from '../api/client.ts';
import { ImportLink } from '../imports/imports.tsx';
import { useAlarms } from '../overview/alarms-provider.tsx';
import { RoomState } from '../overview/room-state.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { useCustomer } from '../shell/customer.tsx';
import { NoCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Column, List } from '../ui/list.tsx';
import { NameLink } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { useTitle } from '../ui/title.ts';
import { Filters, MAX_ROOMS, useRoomsOf } from './filters.tsx';
import { type LinkedSensor, LinkForm } from './link.tsx';
import { useLongGroups } from './long-groups.tsx';
import { NameRoom } from './name-room.tsx';
import { useGrouping, useGroupNames, useRoomOrder } from './room-order.tsx';
import { LastReport, RoomPanel, usePresence } from './room-panel.tsx';

type Query = NonNullable<paths['/sensors']['get']['parameters']['query']>;

/**
 * Returns the sensor list search, and a function to change it. The search is stored in the URL, for bookmarks and the
 * back button.
 */
const useUrlFilter = () => {
  const [search, setSearch] = useSearchParams();
  const filter = {
    page: Math.max(0, Math.floor(Number(search.get('page')) || 0)),
    /** The sort order. If empty, rooms that are not normal come first, followed by the other rooms by name. */
    sort: (search.get('sort') ?? '') as NonNullable<Query['sortBy']> | '',
    text: search.get('search') ?? '',
    state: search.get('state') ?? '',
    /** The room whose details are shown beside the list. */
    room: search.get('room') ?? '',
  };
  const change = (changes: Record<string, string>): void => {
    const next = { ...Object.fromEntries(search), page: '', ...changes };
    setSearch(
      Object.entries(next).filter(([, value]) => value !== ''),
      { replace: true },
    );
  };
  return { filter, change };
};

/**
 * When a room last had a fall: the time if it was within the last day, otherwise the date. Empty if no fall is known.
 */
const LastFall = ({ sensor: { id, customerId } }: { sensor: ListedSensor }) => {
  const dates = useDates();
  const now = useNow(60_000);
  const date = useQuery(lastFallsQuery(customerId)).data?.get(id);
  if (date === undefined) return null;
  return <time title={dates.exact(date)}>{now - date < DAY ? dates.clock(date) : dates.day(date)}</time>;
};

type ColumnsOf = { groupOf: (sensorId: string) => string; onDetails: (sensorId: string) => void };
const useColumns = ({ groupOf, onDetails }: ColumnsOf): Column<ListedSensor>[] => {
  const { sensors: texts, groups } = useTexts();
  const presenceOf = usePresence();
  return [
    {
      head: texts.name,
      sortBy: 'name',
      cell: ({ id, name }) => <NameLink href={`/sensors/${id}`}>{name}</NameLink>,
    },
    {
      head: texts.state,
      sortBy: 'isActive',
      cell: ({ id, isActive }) => <RoomState sensorId={id} isActive={isActive} isMarkedOnly />,
    },
    { head: texts.presenceHead, cell: presenceOf },
    { head: groups.one, cell: ({ id }) => groupOf(id), isMinor: true },
    { head: texts.lastFall, cell: (sensor) => <LastFall sensor={sensor} />, isMinor: true },
    { head: texts.lastReport, cell: (sensor) => <LastReport sensor={sensor} style="short" />, isMinor: true },
    {
      head: texts.more,
      cell: ({ id, name }) => (
        <ActionIcon
          className="details"
          variant="subtle"
          size="lg"
          onClick={() => onDetails(id)}
          aria-label={texts.details(name)}
        >
          <ChevronRightIcon className="icon" />
        </ActionIcon>
      ),
    },
  ];
};

/** A button that links a sensor. The user is then asked for the room name. */
const LinkButton = () => {
  const { sensors: texts } = useTexts();
  const [isOpen, setIsOpen] = useState(false);
  const [linked, setLinked] = useState<LinkedSensor | null>(null);
  const { isAdmin, customerId } = useMe();
  const mayName = useCan()('manage_sensors');
  const { hasNone, customerId: shown } = useCustomer();
  if (hasNone !== false || (!isAdmin && customerId === null)) return null;
  const close = () => {
    setIsOpen(false);
    setLinked(null);
  };
  const name = (sensor: LinkedSensor) =>
    mayName ? setLinked({ ...sensor, customerId: sensor.customerId ?? shown }) : close();
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{texts.link}</Button>
      <Dialog opened={isOpen} onClose={close} title={linked ? texts.nameRoom : texts.link}>
        {linked ? <NameRoom sensor={linked} onDone={close} /> : <LinkForm onDone={name} />}
      </Dialog>
    </>
  );
};

/** Returns a function that picks the CSS class for a room that needs someone, or whose alarm the user has to close. */
const useRowClass = () => {
  const rows = useAlarms()?.rows ?? [];
  return ({ id }: ListedSensor): string | undefined => {
    const kind = rows.find(({ sensorId }) => sensorId === id)?.kind;
    return kind === 'open' || kind === 'mine' ? `is-${kind}` : undefined;
  };
};

/** Rows per page. A home has a few sensors, but a region may have 10,000. */
const PER_PAGE = 100;
const REFETCH_MS = 15_000;
const DAY = 86_400_000;

/** Returns the query for a page of the list. */
const useQueryOf = ({ page, sort, text, state }: ReturnType<typeof useUrlFilter>['filter']): Query => {
  const { customerId } = useCustomer();
  const rooms = useRoomsOf()(state);
  return {
    page,
    perPage: PER_PAGE,
    sortBy: sort || 'asc(name)',
    searchText: text,
    withState: 'true',
    ...((state === 'active' || state === 'inactive') && { isActive: state === 'active' ? 'true' : 'false' }),
    // No sensor has the id 0.
    ...(rooms && { sensorIds: rooms.slice(0, MAX_ROOMS).join(',') || '0' }),
    ...(customerId !== null && { customerId }),
  };
};

/**
 * The page for all of the customer's rooms: a summary that acts as a filter, the list, and the details of one room
 * beside it. The API searches, sorts and pages the list.
 */
export const SensorsPage = () => {
  const { sensors: texts, floorPlan } = useTexts();
  const { hasNone } = useCustomer();
  const { filter, change } = useUrlFilter();
  useTitle(texts.title);
  const { sort, text, state, room } = filter;
  const groupOf = useGroupNames();
  const query = useQueryOf(filter);
  const inOrder = useRoomOrder();
  const classOf = useRowClass();
  const sensors = useQuery({
    queryKey: ['sensors', 'list', query],
    queryFn: () => ok(api.GET('/sensors', { params: { query } })),
    select: (pages) => (sort === '' ? pages.map((one) => ({ ...one, data: inOrder(one.data) })) : pages),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
  const [listed] = sensors.data ?? [];
  const grouping = useGrouping(listed?.data ?? [], (listed?.total ?? 0) <= PER_PAGE);
  const isGrouped = sort === '' && grouping !== undefined;
  const long = useLongGroups(listed?.data ?? [], room);
  const isShortened = isGrouped && text === '' && state === '';
  const shown = listed?.data.find(({ id }) => id === room);
  const columns = useColumns({ groupOf, onDetails: (id) => change({ room: id, page: String(filter.page || '') }) });
  const empty = text === '' && state === '' ? texts.empty : texts.notFound;
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{texts.title}</Title>
        <Group gap="sm">
          <Button component={Link} href="/floor" variant="default">
            {floorPlan}
          </Button>
          <ImportLink kind="sensors" />
          <LinkButton />
        </Group>
      </Group>
      <Filters
        text={text}
        state={state}
        total={text === '' && state === '' ? listed?.total : undefined}
        change={change}
      />
      <div className={shown ? 'with-panel open' : 'with-panel'}>
        <div className={isGrouped ? 'room-list grouped' : 'room-list'}>
          <List
            label={texts.title}
            query={sensors}
            {...(isShortened && long)}
            columns={columns}
            rowKey={({ id }) => id}
            rowClass={classOf}
            {...(isGrouped && { groupOf: grouping })}
            empty={hasNone ? <NoCustomer /> : empty}
            sort={sort}
            onSort={(next) => change({ sort: next })}
            onPage={(next) => change({ page: String(next) })}
          />
        </div>
        {shown && (
          <RoomPanel
            sensor={shown}
            group={groupOf(shown.id)}
            onClose={() => change({ room: '', page: String(filter.page || '') })}
          />
        )}
      </div>
    </Stack>
  );
};
