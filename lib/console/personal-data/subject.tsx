import { Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useCan, useMe } from '../session/session.tsx';
import { Choice } from '../ui/choice.tsx';
import { SensorSelect } from '../ui/sensor-select.tsx';
import { isNoCustomer, type SubjectChoice, useSubjectName } from './subject-choice.ts';
import { usePersonalDataTexts } from './texts.ts';

type SelectProps = {
  customerId: number;
  value: string | null;
  onChange: (id: string | null) => void;
  error: string | undefined;
};

const UserSelect = ({ customerId, value, ...rest }: SelectProps) => {
  const texts = usePersonalDataTexts();
  const me = useMe();
  const mayList = useCan()('manage_users');
  const name = useSubjectName(customerId, { kind: 'user', id: value });
  const [typed, setTyped] = useState('');
  const [searched] = useDebouncedValue(typed, 250);
  const searchText = searched === name ? '' : searched;
  const query = { searchText, perPage: 50, ...(!isNoCustomer(customerId) && { customerId }) };
  const found = useQuery({
    queryKey: ['users', 'choice', query],
    queryFn: () => ok(api.GET('/users', { params: { query } })),
    placeholderData: keepPreviousData,
    enabled: mayList,
  });
  const users = mayList ? (found.data?.[0]?.data ?? []) : [me];
  const listed = users
    .map(({ id, username }) => ({ value: String(id), label: username }))
    .filter((option) => option.value !== value);
  const own = value !== null ? [{ value, label: name }] : [];
  return (
    <Select
      {...rest}
      label={texts.kinds.user}
      {...(!mayList && { description: texts.onlySelf })}
      data={[...own, ...listed]}
      value={value}
      required
      searchable
      clearable
      onSearchChange={setTyped}
      // The API has already filtered by name and address.
      filter={({ options }) => options}
    />
  );
};

type SubjectProps = {
  customerId: number;
  chosen: SubjectChoice;
  onChange: (chosen: SubjectChoice) => void;
  error: string | undefined;
};
/** Fields for an export or erasure subject. */
export const SubjectFields = ({ customerId, chosen, onChange, error }: SubjectProps) => {
  const texts = usePersonalDataTexts();
  const name = useSubjectName(customerId, chosen);
  const { kind, id } = chosen;
  const { customer, ...others } = texts.kinds;
  const select = { customerId, value: id, onChange: (next: string | null) => onChange({ kind, id: next }), error };
  return (
    <>
      <Choice
        label={texts.whoseData}
        options={isNoCustomer(customerId) ? others : { ...others, customer }}
        value={kind}
        onChange={(next) => onChange({ kind: next, id: null })}
      />
      {kind === 'user' && <UserSelect {...select} />}
      {kind === 'sensor' && <SensorSelect label={texts.kinds.sensor} required {...select} />}
      {kind === 'customer' && <TextInput label={customer} value={name} readOnly />}
    </>
  );
};
