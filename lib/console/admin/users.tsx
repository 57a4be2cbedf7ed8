import { Button, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { User } from '#openapi';
import { api } from '../api/client.ts';
import { ImportLink } from '../imports/imports.tsx';
import { useCustomerId } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useListState } from '../ui/list-state.ts';
import { Name, NameLink } from '../ui/name.tsx';
import { SearchedList } from '../ui/searched-list.tsx';
import { useAdminTexts } from './texts.ts';
import { UndeliverableChannels } from './undeliverable-channels.tsx';

const Permissions = ({ user: { isAdmin, permissions } }: { user: User }) => {
  const texts = useAdminTexts();
  const { permissions: names } = useTexts();
  if (isAdmin) return texts.systemAdmin;
  return <Text size="sm">{permissions.map((permission) => names[permission]).join(', ') || texts.basics}</Text>;
};

const Users = () => {
  const texts = useAdminTexts();
  const { titles } = useTexts();
  const customerId = useCustomerId();
  const listState = useListState<'asc(username)' | 'desc(username)'>('asc(username)');
  const query = { ...listState.query, ...(customerId !== null && { customerId }) };
  const users = useQuery({
    queryKey: ['users', query],
    queryFn: () => ok(api.GET('/users', { params: { query } })),
    placeholderData: keepPreviousData,
  });
  return (
    <SearchedList<User>
      label={titles.users}
      query={users}
      rowKey={({ id }) => id}
      empty={texts.noUsers}
      listState={listState}
      notFound={texts.noUsers}
      columns={[
        {
          head: texts.username,
          sortBy: 'username',
          cell: ({ id, username }) => (
            <>
              <NameLink href={`/users/${id}`}>{username}</NameLink>
              <UndeliverableChannels userId={id} />
            </>
          ),
        },
        {
          head: texts.person,
          cell: ({ firstName, lastName }) => <Name>{`${firstName} ${lastName}`}</Name>,
          isMinor: true,
        },
        { head: texts.permissions, cell: (user) => <Permissions user={user} />, isMinor: true },
      ]}
    />
  );
};

export const UsersPage = () => {
  const texts = useAdminTexts();
  const { titles } = useTexts();
  return (
    <>
      <Head title={titles.users}>
        <ImportLink kind="users" />
        <Button component={Link} href="/users/new">
          {texts.newUser}
        </Button>
      </Head>
      <Users />
    </>
  );
};
