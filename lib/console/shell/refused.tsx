import { Text } from '@mantine/core';
import type { Needs, Permission } from '../session/may.ts';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';

/** The names of what a page or an action needs; null when only system admins may. */
export const useNamesOf = (needs: Needs): string | null => {
  const { permissions, quoted } = useTexts();
  const locale = useLocale();
  if (needs === 'system_admin') return null;
  const names = [needs].flat().map((permission) => quoted(permissions[permission]));
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(names);
};

/** Stands in place of a page that the user may not open: which permission it needs, and who can grant it. */
export const Refused = ({ needs }: { needs: Needs }) => {
  const { refused: texts } = useTexts();
  const names = useNamesOf(needs);
  return (
    <>
      <Head title={texts.title} />
      <Text>{names === null ? texts.adminOnly : `${texts.needs(names)} ${texts.grantedBy}`}</Text>
    </>
  );
};

/** Says of what is shown that the user may not change it, and what it takes. */
export const ReadOnly = ({ needs }: { needs: Permission }) => {
  const { refused: texts } = useTexts();
  return <Text mt="md">{`${texts.readOnly(useNamesOf(needs) ?? '')} ${texts.grantedBy}`}</Text>;
};
