import { Select } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect } from 'react';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

type Choice = { customerId: number | null; choose: (customerId: number | null) => void };
const Customer = createContext<Choice>({ customerId: null, choose: () => {} });

/** Stores the customer that a system admin has chosen. Other users always see their own customer. */
export const CustomerProvider = ({ children }: { children: ReactNode }) => {
  const me = useMe();
  const [chosen, choose] = useLocalStorage<number | null>({
    key: 'customer',
    defaultValue: me.customerId,
    getInitialValueInEffect: false,
  });
  return <Customer value={{ customerId: me.isAdmin ? chosen : me.customerId, choose }}>{children}</Customer>;
};

/** The customer of the pages; null stands for all customers, or for none. */
export const useCustomerId = (): number | null => use(Customer).customerId;

const Choose = () => {
  const texts = useTexts();
  const { customerId, choose } = use(Customer);
  const customers = useQuery({ queryKey: ['customers'], queryFn: () => ok(api.GET('/customers')) });
  // The stored customer may have been deleted since.
  const isGone = customers.data?.every(({ id }) => id !== customerId) ?? false;
  useEffect(() => {
    if (isGone && customerId !== null) choose(null);
  }, [isGone, customerId, choose]);
  return (
    <Select
      className="customer"
      aria-label={texts.customer}
      placeholder={texts.allCustomers}
      data={customers.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      value={customerId === null ? null : String(customerId)}
      onChange={(id) => choose(id === null ? null : Number(id))}
      searchable
      clearable
      limit={100}
    />
  );
};

/** Lets system admins choose a customer; other users see nothing. */
export const CustomerSelect = () => (useMe().isAdmin ? <Choose /> : null);
