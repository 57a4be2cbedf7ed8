import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useMay } from '../session/session.tsx';
import type { ObjectKind } from './filter.ts';
import { useAuditTexts } from './texts.ts';

type AuditLinkProps = {
  kind: ObjectKind;
  /** Without an id: all of this kind. */
  id?: string | number;
  /** What is of no customer. */
  isOfNone?: true;
  size?: 'xs';
};

/** Leads whoever may see it to who changed an object. */
export const AuditLink = ({ kind, id, isOfNone, size = undefined }: AuditLinkProps) => {
  const texts = useAuditTexts();
  const may = useMay();
  if (!may('manage_users')) return null;
  const query = new URLSearchParams({
    kind,
    ...(id !== undefined && { object: String(id) }),
    ...(isOfNone && { of: 'none' }),
  });
  return (
    <Button component={Link} variant="default" href={`/audit?${query}`} {...(size && { size })}>
      {texts.whoChanged}
    </Button>
  );
};
