import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useMay } from '../session/session.tsx';
import { OF_NONE } from './chosen.ts';
import { usePersonalDataTexts } from './texts.ts';

type LinkProps = { kind: 'customer' | 'sensor' | 'user'; id?: string | number; customerId: number | null };

/** Leads whoever may do it to where the data of somebody are exported and erased. */
export const PersonalDataLink = ({ kind, id, customerId }: LinkProps) => {
  const texts = usePersonalDataTexts();
  const may = useMay();
  if (!may('manage_customers')) return null;
  const query = new URLSearchParams({
    kind,
    ...(id !== undefined && { id: String(id) }),
    customer: String(customerId ?? OF_NONE),
  });
  return (
    <Button component={Link} variant="default" href={`/personal-data?${query}`}>
      {texts.link}
    </Button>
  );
};
