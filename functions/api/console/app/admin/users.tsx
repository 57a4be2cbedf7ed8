import { Button, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { User } from 'openapi';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useCustomerId } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Search } from '../ui/search.tsx';

const May = ({ user: { isAdmin, permissions } }: { user: User }) => {
  const { admin: texts, permissions: names } = useTexts();
  if (isAdmin) return texts.everything;
  return <Text size="sm">{permissions.map((one) => names[one]).join(', ') || texts.onlySee}</Text>;
};

const Users = () => {
  const { admin: texts } = useTexts();
  const customerId = useCustomerId();
  const [page, setPage] = useState(0);
  const [sortBy, setSort] = useState<'asc(username)' | 'desc(username)'>('asc(username)');
  const [typed, setTyped] = useState('');
  const [searchText] = useDebouncedValue(typed, 250);
  const query = { page, searchText, sortBy, ...(customerId !== null && { customerId }) };
  const users = useQuery({
    queryKey: ['users', query],
    queryFn: () => ok(api.GET('/users', { params: { query } })),
    placeholderData: keepPreviousData,
  });
  const look = (text: string) => {
    setTyped(text);
    setPage(0);
  };
  return (
    <>
      <Search value={typed} onChange={look} />
      <List<User>
        label={texts.users}
        query={users}
        keyOf={({ id }) => id}
        empty={texts.noUsers}
        onPage={setPage}
        sort={sortBy}
        onSort={(next) => setSort(next as typeof sortBy)}
        columns={[
          {
            head: texts.username,
            sortBy: 'username',
            cell: ({ id, username }) => <NameLink href={`/users/${id}`}>{username}</NameLink>,
          },
          {
            head: texts.person,
            cell: ({ firstName, lastName }) => <Name>{`${firstName} ${lastName}`}</Name>,
            isMinor: true,
          },
          { head: texts.permissions, cell: (user) => <May user={user} />, isMinor: true },
        ]}
      />
    </>
  );
};

export const UsersPage = () => {
  const { admin: texts } = useTexts();
  return (
    <>
      <Head title={texts.users}>
        <Button component={Link} href="/users/new">
          {texts.newUser}
        </Button>
      </Head>
      <Users />
    </>
  );
};
