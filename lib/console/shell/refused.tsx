import { Text } from '@mantine/core';
import type { Needs, Permission } from '../session/permissions.ts';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';

/** Returns the names of the permissions required for a page or an action; null when only system admins can use it. */
export const usePermissionNames = (needs: Needs): string | null => {
  const { permissions, quoted } = useTexts();
  const locale = useLocale();
  if (needs === 'system_admin') return null;
  const names = [needs].flat().map((permission) => quoted(permissions[permission]));
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(names);
};

/** Replaces a page the user has no access to. It names the missing permission and who can grant it. */
export const Refused = ({ needs }: { needs: Needs | 'display' | undefined }) => {
  const { refused } = useTexts();
  return needs === 'display' || needs === undefined ? (
    <>
      <Head title={refused.title} />
      <Text>{refused.display}</Text>
    </>
  ) : (
    <WithoutPermission needs={needs} />
  );
};

const WithoutPermission = ({ needs }: { needs: Needs }) => {
  const { refused: texts } = useTexts();
  const names = usePermissionNames(needs);
  return (
    <>
      <Head title={texts.title} />
      <Text>{names === null ? texts.adminOnly : `${texts.needs(names)} ${texts.grantedBy}`}</Text>
    </>
  );
};

/** Explains that the user cannot change the page, and names the required permission. */
export const ReadOnly = ({ needs }: { needs: Permission }) => {
  const { refused: texts } = useTexts();
  return <Text mt="md">{`${texts.readOnly(usePermissionNames(needs) ?? '')} ${texts.grantedBy}`}</Text>;
};
