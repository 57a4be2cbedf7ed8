import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Sensor } from '#openapi';
import { api } from '../api/client.ts';

/** Returns the query for a sensor. It is disabled while the id is null. */
export const useSensor = (sensorId: string | null) =>
  useQuery({
    queryKey: ['sensor', sensorId],
    queryFn: () => ok(api.GET('/sensors/{sensorId}', { params: { path: { sensorId: sensorId ?? '' } } })),
    enabled: sensorId !== null,
    staleTime: 60_000,
  });

const optionOf = ({ id, name }: Pick<Sensor, 'id' | 'name'>) => ({ value: id, label: name });

type SelectProps = {
  label: string;
  customerId: number;
  value: string | null;
  onChange: (sensorId: string | null) => void;
  placeholder?: string;
  error?: string | undefined;
  required?: true;
  /** Sensor ids not to offer. */
  without?: readonly string[];
};

/** A select for one of a customer's sensors. The API searches, because there may be 10,000 sensors. */
export const SensorSelect = ({ customerId, value, without = [], ...rest }: SelectProps) => {
  const [typed, setTyped] = useState('');
  const [searched] = useDebouncedValue(typed, 250);
  const chosen = useSensor(value);
  const searchText = searched === chosen.data?.name ? '' : searched;
  const found = useQuery({
    queryKey: ['sensors', 'choice', customerId, searchText],
    queryFn: () => ok(api.GET('/sensors', { params: { query: { customerId, searchText, perPage: 50 } } })),
    placeholderData: keepPreviousData,
  });
  const listed = (found.data?.[0]?.data ?? []).filter(({ id }) => !without.includes(id) && id !== value);
  const own = value !== null ? [chosen.data ?? { id: value, name: value }] : [];
  return (
    <Select
      {...rest}
      data={[...own, ...listed].map(optionOf)}
      value={value}
      searchable
      clearable
      onSearchChange={setTyped}
      // The API has already filtered by name and hardware id.
      filter={({ options }) => options}
    />
  );
};
