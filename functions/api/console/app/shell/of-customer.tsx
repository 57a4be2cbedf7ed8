import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { useCustomerId } from './customer.tsx';

type OfCustomerProps = {
  /** Is shown above the request to choose a customer, for pages whose head is among the children. */
  fallback?: ReactNode;
  children: (customerId: number) => ReactNode;
};

/** Shows what belongs to one customer. A system admin who has chosen none is asked to choose one. */
export const OfCustomer = ({ fallback, children }: OfCustomerProps) => {
  const texts = useTexts();
  const customerId = useCustomerId();
  if (customerId !== null) return children(customerId);
  return (
    <>
      {fallback}
      <Text className="empty">{texts.setup.chooseCustomer}</Text>
    </>
  );
};
