import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useCan } from '../session/session.tsx';
import { NO_CUSTOMER } from './subject-choice.ts';
import { usePersonalDataTexts } from './texts.ts';

type LinkProps = { kind: 'customer' | 'sensor' | 'user'; id?: string | number; customerId: number | null };

/** A link to the page where a subject's data can be exported or erased, for users who may do so. */
export const PersonalDataLink = ({ kind, id, customerId }: LinkProps) => {
  const texts = usePersonalDataTexts();
  const can = useCan();
  if (!can('manage_customers')) return null;
  const query = new URLSearchParams({
    kind,
    ...(id !== undefined && { id: String(id) }),
    customer: String(customerId ?? NO_CUSTOMER),
  });
  return (
    <Button component={Link} variant="default" href={`/personal-data?${query}`}>
      {texts.link}
    </Button>
  );
};
