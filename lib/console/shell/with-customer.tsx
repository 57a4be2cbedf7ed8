import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { useCustomer } from './customer.tsx';

/** Explains why a page has no customer: none is chosen, there are none, or the user belongs to none. */
export const NoCustomer = () => {
  const { setup: texts } = useTexts();
  const { hasNone } = useCustomer();
  const { isAdmin } = useMe();
  if (!isAdmin) return <Text className="empty">{texts.ofNoCustomer}</Text>;
  if (hasNone === undefined) return null;
  if (!hasNone) return <Text className="empty">{texts.chooseCustomer}</Text>;
  return (
    <Stack className="empty" align="center">
      <Text>{texts.noCustomer}</Text>
      <Button component={Link} href="/customers/new">
        {texts.newCustomer}
      </Button>
    </Stack>
  );
};

type WithCustomerProps = {
  /** Shown above the explanation, for pages that render their head among the children. */
  fallback?: ReactNode;
  children: (customerId: number) => ReactNode;
};

/** Renders its children for the current customer, or explains why there is none. */
export const WithCustomer = ({ fallback, children }: WithCustomerProps) => {
  const { customerId } = useCustomer();
  if (customerId !== null) return children(customerId);
  return (
    <>
      {fallback}
      <NoCustomer />
    </>
  );
};
