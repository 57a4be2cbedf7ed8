import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { useCustomer } from './customer.tsx';

/** Says what is missing when a page has no customer: none is chosen, there is none, or the user belongs to none. */
export const NoCustomer = () => {
  const { setup: texts, admin } = useTexts();
  const { isNone } = useCustomer();
  const { isAdmin } = useMe();
  if (!isAdmin) return <Text className="empty">{texts.ofNoCustomer}</Text>;
  if (isNone === undefined) return null;
  if (!isNone) return <Text className="empty">{texts.chooseCustomer}</Text>;
  return (
    <Stack className="empty" align="center">
      <Text>{texts.noCustomer}</Text>
      <Button component={Link} href="/customers/new">
        {admin.newCustomer}
      </Button>
    </Stack>
  );
};

type OfCustomerProps = {
  /** Is shown above what is missing, for pages whose head is among the children. */
  fallback?: ReactNode;
  children: (customerId: number) => ReactNode;
};

/** Shows what belongs to one customer, or what is missing. */
export const OfCustomer = ({ fallback, children }: OfCustomerProps) => {
  const { customerId } = useCustomer();
  if (customerId !== null) return children(customerId);
  return (
    <>
      {fallback}
      <NoCustomer />
    </>
  );
};
