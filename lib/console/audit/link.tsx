import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useCan } from '../session/session.tsx';
import type { ObjectKind } from './filter.ts';
import { useAuditTexts } from './texts.ts';

type AuditLinkProps = {
  kind: ObjectKind;
  /** Without an id, the link leads to all objects of this kind. */
  id?: string | number;
  /** Whether the objects belong to no customer. */
  isNoCustomer?: true;
  size?: 'xs';
};

/** A link to the audit entries for an object, for users who can see the audit log. */
export const AuditLink = ({ kind, id, isNoCustomer, size = undefined }: AuditLinkProps) => {
  const texts = useAuditTexts();
  const can = useCan();
  if (!can('manage_users')) return null;
  const query = new URLSearchParams({
    kind,
    ...(id !== undefined && { object: String(id) }),
    ...(isNoCustomer && { of: 'none' }),
  });
  return (
    <Button component={Link} variant="default" href={`/audit?${query}`} {...(size && { size })}>
      {texts.whoChanged}
    </Button>
  );
};
