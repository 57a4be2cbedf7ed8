import { Button, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Rule } from '#openapi';
import { api } from '../api/client.ts';
import { useMay, useMe } from '../session/session.tsx';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/texts.tsx';

export type Recipient = Rule['recipients'][number];
type Way = keyof Texts['deliveries']['ways'];
const waysOf = ({ ways }: Texts['deliveries']) => Object.keys(ways) as Way[];

/** Whoever is on duty, among the choices. */
const DUTY = 'duty';

/** The users whom a rule can tell. Who may not manage users sees no other than oneself. */
const useUsers = (customerId: number) => {
  const may = useMay();
  const me = useMe();
  const users = useQuery({
    queryKey: ['users', 'names', customerId],
    queryFn: () => ok(api.GET('/users', { params: { query: { customerId, perPage: 200 } } })),
    enabled: may('manage_users'),
  });
  const all = users.data?.[0]?.data ?? [];
  return [...all.filter(({ id }) => id !== me.id), me].map(({ id, firstName, lastName, username }) => ({
    id,
    name: `${firstName} ${lastName}`.trim() || username,
  }));
};

/** Gives a function that says who a recipient is that is a person; null: it is a webhook. */
export const usePersonName = (customerId: number) => {
  const { rules: texts, deliveries } = useTexts();
  const users = useUsers(customerId);
  return (recipient: Recipient): string | null => {
    if (!('by' in recipient)) return null;
    const way = deliveries.ways[recipient.by];
    if (!('userId' in recipient)) return `${texts.onDuty} (${way})`;
    const user = users.find(({ id }) => id === recipient.userId);
    return `${user?.name ?? texts.userWithId(recipient.userId)} (${way})`;
  };
};

type AddPersonProps = { customerId: number; onAdd: (recipient: Recipient) => void; error: string | undefined };

/** Chooses a person, or whoever is on duty, and the way in which that person is told. */
export const AddPerson = ({ customerId, onAdd, error }: AddPersonProps) => {
  const { rules: texts, deliveries } = useTexts();
  const users = useUsers(customerId);
  const [who, setWho] = useState<string | null>(DUTY);
  const [way, setWay] = useState<string | null>('email');
  const ways = waysOf(deliveries);
  const by = ways.find((choice) => choice === way);
  const add = () => {
    if (by && who !== null) onAdd(who === DUTY ? { onDuty: true, by } : { userId: Number(who), by });
  };
  return (
    <Group align="flex-end">
      <Select
        label={texts.person}
        data={[
          { value: DUTY, label: texts.onDuty },
          ...users.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        value={who}
        onChange={setWho}
        error={error}
        searchable
        allowDeselect={false}
      />
      <Select
        label={texts.channel}
        data={ways.map((way) => ({ value: way, label: deliveries.ways[way] }))}
        value={way}
        onChange={setWay}
        allowDeselect={false}
      />
      <Button variant="default" onClick={add}>
        {texts.addPerson}
      </Button>
    </Group>
  );
};
