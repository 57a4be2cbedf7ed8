import { Select } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use } from 'react';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

type Choice = { customerId: number | null; choose: (customerId: number | null) => void };
const Customer = createContext<Choice>({ customerId: null, choose: () => {} });

/** Keeps which customer a system admin looks at; everybody else looks at their own. */
export const CustomerProvider = ({ children }: { children: ReactNode }) => {
  const me = useMe();
  const [chosen, choose] = useLocalStorage<number | null>({
    key: 'customer',
    defaultValue: me.customerId,
    getInitialValueInEffect: false,
  });
  return <Customer value={{ customerId: me.isAdmin ? chosen : me.customerId, choose }}>{children}</Customer>;
};

/** The customer that the pages are about; null: all of them, or none. */
export const useCustomerId = (): number | null => use(Customer).customerId;

const Choose = () => {
  const texts = useTexts();
  const { customerId, choose } = use(Customer);
  const customers = useQuery({ queryKey: ['customers'], queryFn: () => ok(api.GET('/customers')) });
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

/** For system admins, who may look at every customer. */
export const CustomerSelect = () => (useMe().isAdmin ? <Choose /> : null);
