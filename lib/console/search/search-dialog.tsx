import { SignalIcon, UserIcon } from '@heroicons/react/24/outline';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useCan } from '../session/session.tsx';
import { useCustomerId } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';

/** The maximum number of rooms and of users shown. */
const MAX_FOUND = 8;
const DEBOUNCE_MS = 200;

const [store, dialog] = createSpotlight();

type Found = { path: string; name: string; more?: string; icon: ComponentType<{ className: string }> };

const useRooms = (text: string): Found[] => {
  const customerId = useCustomerId();
  const query = { searchText: text, perPage: MAX_FOUND, ...(customerId !== null && { customerId }) };
  const { data = [] } = useQuery({
    queryKey: ['sensors', 'found', query],
    queryFn: () => ok(api.GET('/sensors', { params: { query } })),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  if (text === '') return [];
  return data.flatMap((page) => page.data).map(({ id, name }) => ({ path: `/sensors/${id}`, name, icon: SignalIcon }));
};

/** Returns matching users. Empty without permission to see users. */
const useUsers = (text: string): Found[] => {
  const customerId = useCustomerId();
  const isAllowed = useCan()('manage_users');
  const query = { searchText: text, perPage: MAX_FOUND, ...(customerId !== null && { customerId }) };
  const { data = [] } = useQuery({
    queryKey: ['users', 'found', query],
    queryFn: () => ok(api.GET('/users', { params: { query } })),
    enabled: isAllowed && text !== '',
    placeholderData: keepPreviousData,
  });
  if (text === '') return [];
  return data
    .flatMap((page) => page.data)
    .map(({ id, username, firstName, lastName }) => {
      const person = `${firstName} ${lastName}`.trim();
      return { path: `/users/${id}`, name: person || username, more: person && username, icon: UserIcon };
    });
};

type Entry = Pick<Found, 'path' | 'icon'> & { label: string };
const pagesWith = (entries: readonly Entry[], text: string): Found[] =>
  entries
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ path, label, icon }) => ({ path, name: label, icon }));

const Results = ({ label, found }: { label: string; found: readonly Found[] }) => {
  const [, go] = useLocation();
  if (found.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={label}>
      {found.map(({ path, name, more, icon: Icon }) => (
        <Spotlight.Action key={path} onClick={() => go(path)} className="found">
          <Icon className="icon" />
          <Name>{name}</Name>
          {more && <span className="meta">{more}</span>}
        </Spotlight.Action>
      ))}
    </Spotlight.ActionsGroup>
  );
};

/** Finds pages, rooms and users by name. Opens each time `times` increases. */
export const SearchDialog = ({ times, pages: entries }: { times: number; pages: readonly Entry[] }) => {
  const { find: texts, search, pages: pagesLabel, sensors, titles } = useTexts();
  const hasUsers = useCan()('manage_users');
  const [query, setQuery] = useState('');
  const [text] = useDebouncedValue(query.trim(), DEBOUNCE_MS);
  const [pages, rooms, users] = [pagesWith(entries, query.trim()), useRooms(text), useUsers(text)];
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens again each time
  useEffect(() => dialog.open(), [times]);
  const { selected } = useSpotlight(store);
  const [, go] = useLocation();
  const [first] = [...rooms, ...users, ...pages];
  // The library selects the first result when the text changes, before rooms and users are found.
  const openFirst = () => {
    if (!first || selected >= 0) return;
    go(first.path);
    dialog.close();
  };
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      lockScroll={false}
      // Blurring the page takes seconds on a small computer.
      overlayProps={{ blur: 0 }}
      attributes={{ content: { 'aria-label': search } }}
    >
      <Spotlight.Search
        placeholder={hasUsers ? texts.pageRoomOrUser : texts.pageOrRoom}
        aria-label={search}
        onKeyDown={({ key }) => key === 'Enter' && openFirst()}
        autoComplete="off"
      />
      <Spotlight.ActionsList>
        <Results label={sensors.title} found={rooms} />
        <Results label={titles.users} found={users} />
        <Results label={pagesLabel} found={pages} />
        {pages.length + rooms.length + users.length === 0 && <Spotlight.Empty>{texts.nothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
};
