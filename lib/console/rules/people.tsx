import { Button, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Rule } from '#openapi';
import { kindsQuery } from '../account/queries.ts';
import { api } from '../api/client.ts';
import { useCan, useMe } from '../session/session.tsx';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/texts.tsx';

export type Recipient = Rule['recipients'][number];
type Channel = keyof Texts['overview']['ways'];
const channelsOf = ({ ways }: Texts['overview']) => Object.keys(ways) as Channel[];

/** The option for the people on duty. */
const ON_DUTY = 'duty';

/** Returns the users a rule can notify. Without the permission to manage users, that is only the current user. */
const useUsers = (customerId: number) => {
  const can = useCan();
  const me = useMe();
  const users = useQuery({
    queryKey: ['users', 'names', customerId],
    queryFn: () => ok(api.GET('/users', { params: { query: { customerId, perPage: 200 } } })),
    enabled: can('manage_users'),
  });
  const listed = users.data?.[0]?.data ?? [];
  return [...listed.filter(({ id }) => id !== me.id), me].map(({ id, firstName, lastName, username }) => ({
    id,
    name: `${firstName} ${lastName}`.trim() || username,
  }));
};

/** Returns a function that names recipients who are people; it returns null for a webhook. */
export const usePersonName = (customerId: number) => {
  const { rules: texts, overview } = useTexts();
  const users = useUsers(customerId);
  return (recipient: Recipient): string | null => {
    if (!('by' in recipient)) return null;
    const channel = overview.ways[recipient.by];
    if (!('userId' in recipient)) return `${texts.onDuty} (${channel})`;
    const user = users.find(({ id }) => id === recipient.userId);
    return `${user?.name ?? texts.userWithId(recipient.userId)} (${channel})`;
  };
};

type AddPersonProps = { customerId: number; onAdd: (recipient: Recipient) => void; error: string | undefined };

/** Fields to add a person, or the people on duty, with a channel. */
export const AddPerson = ({ customerId, onAdd, error }: AddPersonProps) => {
  const { rules: texts, overview } = useTexts();
  const users = useUsers(customerId);
  const [person, setPerson] = useState<string | null>(ON_DUTY);
  const [channel, setChannel] = useState<string | null>('email');
  const { data: offered } = useQuery(kindsQuery);
  const channels = channelsOf(overview).filter((value) => offered?.kinds.includes(value) ?? true);
  const by = channels.find((choice) => choice === channel) ?? channels[0];
  const add = () => {
    if (by && person !== null) onAdd(person === ON_DUTY ? { onDuty: true, by } : { userId: Number(person), by });
  };
  return (
    <Group align="flex-end">
      <Select
        label={texts.person}
        data={[
          { value: ON_DUTY, label: texts.onDuty },
          ...users.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        value={person}
        onChange={setPerson}
        error={error}
        searchable
        allowDeselect={false}
      />
      <Select
        label={texts.channel}
        data={channels.map((value) => ({ value, label: overview.ways[value] }))}
        value={by ?? null}
        onChange={setChannel}
        allowDeselect={false}
      />
      <Button variant="default" onClick={add}>
        {texts.addPerson}
      </Button>
    </Group>
  );
};
