import { Badge } from '@mantine/core';
import type { Delivery } from '#openapi';
import { useTexts } from '../texts/texts.tsx';

const colours = {
  pending: 'cyan',
  sending: 'cyan',
  delivered: 'green',
  retrying: 'orange',
  held: 'gray',
  failed: 'red',
} satisfies Record<Delivery['state'], string>;

export const StateBadge = ({ state }: Pick<Delivery, 'state'>) => {
  const { deliveries: texts } = useTexts();
  return <Badge color={colours[state]}>{texts.states[state]}</Badge>;
};
