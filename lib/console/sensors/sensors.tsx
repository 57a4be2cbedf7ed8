import { Button, Group, SegmentedControl, Stack, TextInput, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { paths, Sensor } from '#openapi';
import { api } from '../api/client.ts';
import { groupsQuery } from '../groups/query.ts';
import { ImportLink } from '../imports/imports.tsx';
import { RoomState } from '../overview/room-state.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { useCustomer } from '../shell/customer.tsx';
import { NoCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Column, List } from '../ui/list.tsx';
import { NameLink } from '../ui/name.tsx';
import { useTitle } from '../ui/title.ts';
import { type LinkedSensor, LinkForm } from './link.tsx';
import { NameRoom } from './name-room.tsx';

type Query = NonNullable<paths['/sensors']['get']['parameters']['query']>;

/** The search in the list of sensors. It is stored in the URL, for bookmarks and the back button. */
const useUrlFilter = () => {
  const [search, setSearch] = useSearchParams();
  const filter = {
    page: Math.max(0, Math.floor(Number(search.get('page')) || 0)),
    sort: (search.get('sort') ?? 'asc(name)') as NonNullable<Query['sortBy']>,
    text: search.get('search') ?? '',
    state: search.get('state') ?? '',
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

/** Returns a function that names the group of a sensor. */
const useGroupNames = () => {
  const { customerId } = useCustomer();
  const { data: groups = [] } = useQuery({ ...groupsQuery(customerId ?? 0), enabled: customerId !== null });
  return (sensorId: string): string => groups.find(({ sensorIds }) => sensorIds.includes(sensorId))?.name ?? '';
};

const useColumns = (): Column<Sensor>[] => {
  const { sensors: texts, groups } = useTexts();
  const dates = useDates();
  const groupOf = useGroupNames();
  return [
    {
      head: texts.name,
      sortBy: 'name',
      cell: ({ id, name }) => <NameLink href={`/sensors/${id}`}>{name}</NameLink>,
    },
    {
      head: texts.state,
      sortBy: 'isActive',
      cell: ({ id, isActive }) => <RoomState sensorId={id} isActive={isActive} />,
    },
    { head: groups.one, cell: ({ id }) => groupOf(id) },
    { head: texts.maker, cell: ({ manufacturer }) => texts.makers[manufacturer], isMinor: true },
    { head: texts.firmware, cell: ({ firmwareVersion }) => firmwareVersion, isMinor: true },
    { head: texts.since, sortBy: 'createDate', cell: ({ createDate }) => dates.dateTime(createDate), isMinor: true },
  ];
};

type FiltersProps = { text: string; state: string; change: (changes: Record<string, string>) => void };
const Filters = ({ text, state, change }: FiltersProps) => {
  const { sensors: texts, search } = useTexts();
  const changeDebounced = useDebouncedCallback((value: string) => change({ search: value }), 300);
  return (
    <Group align="end">
      <TextInput
        type="search"
        label={search}
        placeholder={texts.searchHint}
        defaultValue={text}
        onChange={({ currentTarget }) => changeDebounced(currentTarget.value)}
      />
      <SegmentedControl
        aria-label={texts.state}
        value={state}
        onChange={(value) => change({ state: value })}
        data={[
          { value: '', label: texts.all },
          { value: 'active', label: texts.states.active },
          { value: 'inactive', label: texts.states.inactive },
        ]}
      />
    </Group>
  );
};

/** Links a sensor, and then asks for the name of its room. */
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

/** Rows per page. A home has a few sensors, a region 10,000. */
const PER_PAGE = 100;

/** The page of all sensors of the customer. The API searches, sorts and pages the list. */
export const SensorsPage = () => {
  const { sensors: texts } = useTexts();
  const { customerId, hasNone } = useCustomer();
  const { filter, change } = useUrlFilter();
  useTitle(texts.title);
  const { page, sort, text, state } = filter;
  const empty = text === '' && state === '' ? texts.empty : texts.notFound;
  const query: Query = { page, perPage: PER_PAGE, sortBy: sort, searchText: text };
  if (state !== '') query.isActive = state === 'active' ? 'true' : 'false';
  if (customerId !== null) query.customerId = customerId;
  const sensors = useQuery({
    queryKey: ['sensors', 'list', query],
    queryFn: () => ok(api.GET('/sensors', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>{texts.title}</Title>
        <Group gap="sm">
          <ImportLink kind="sensors" />
          <LinkButton />
        </Group>
      </Group>
      <Filters text={text} state={state} change={change} />
      <List
        label={texts.title}
        query={sensors}
        columns={useColumns()}
        rowKey={({ id }) => id}
        empty={hasNone ? <NoCustomer /> : empty}
        sort={sort}
        onSort={(next) => change({ sort: next })}
        onPage={(next) => change({ page: String(next) })}
      />
    </Stack>
  );
};
