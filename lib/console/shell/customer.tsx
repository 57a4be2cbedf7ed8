import { Select } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

/** The query for all customers. Only system admins can run it. */
export const customersQuery = queryOptions({
  queryKey: ['customers'],
  queryFn: () => ok(api.GET('/customers')),
});

type Choice = {
  /** The customer whose data is shown; null if that is the data of all customers, or of none. */
  customerId: number | null;
  choose: (customerId: number | null) => void;
  /** Whether there are no customers at all; undefined while unknown. */
  hasNone: boolean | undefined;
};
const Customer = createContext<Choice>({ customerId: null, choose: () => {}, hasNone: undefined });

/** Stores the customer chosen by a system admin. Other users always see their own customer. */
export const CustomerProvider = ({ children }: { children: ReactNode }) => {
  const me = useMe();
  const [chosen, choose] = useLocalStorage<number | null>({
    key: 'customer',
    defaultValue: me.customerId,
    getInitialValueInEffect: false,
  });
  const { data: all } = useQuery({ ...customersQuery, enabled: me.isAdmin });
  // The stored customer may have been deleted. With only one customer, there is no choice to make.
  const known = all === undefined || all.some(({ id }) => id === chosen) ? chosen : null;
  const shown = all?.length === 1 ? (all[0]?.id ?? null) : known;
  const customerId = me.isAdmin ? shown : me.customerId;
  const hasNone = me.isAdmin ? all && all.length === 0 : false;
  return <Customer value={{ customerId, choose, hasNone }}>{children}</Customer>;
};

export const useCustomer = (): Choice => use(Customer);
export const useCustomerId = (): number | null => use(Customer).customerId;

type CustomersProps = { label: string; value: number | null; onChange: (customerId: number | null) => void };
/** Lets a system admin choose any customer. */
export const CustomerChoice = ({ label, value, onChange }: CustomersProps) => {
  const customers = useQuery(customersQuery);
  return (
    <Select
      label={label}
      required
      data={customers.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      searchable
      limit={100}
    />
  );
};

const HeaderSelect = () => {
  const texts = useTexts();
  const { customerId, choose } = use(Customer);
  const { data: all = [] } = useQuery(customersQuery);
  if (all.length < 2) return null;
  return (
    <Select
      aria-label={texts.customer}
      placeholder={texts.allCustomers}
      data={all.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={customerId === null ? null : String(customerId)}
      onChange={(id) => choose(id === null ? null : Number(id))}
      searchable
      clearable
      limit={100}
    />
  );
};

/** Lets system admins choose among several customers; other users see nothing. */
export const CustomerSelect = () => (useMe().isAdmin ? <HeaderSelect /> : null);
