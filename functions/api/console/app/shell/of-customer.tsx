import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { useCustomerId } from './customer.tsx';

type OfCustomerProps = {
  /** What stands above the request to choose one, where the head of the page is among the children. */
  fallback?: ReactNode;
  children: (customerId: number) => ReactNode;
};

/** What belongs to one customer; a system admin who looks at none is asked to choose one. */
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
