import { Checkbox, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import type { User, UserAccess, UserUpdate } from '#openapi';
import type { Permission } from '../session/permissions.ts';
import { useCan, useMe } from '../session/session.tsx';
import { languageOptions, useTexts } from '../texts/texts.tsx';
import { fieldsOf } from '../ui/draft.ts';
import { useAdminTexts } from './texts.ts';

type FieldsProps<T> = { draft: T; change: (part: Partial<T>) => void; error: unknown };

export const ProfileFields = ({ draft, change, error }: FieldsProps<UserUpdate>) => {
  const texts = useAdminTexts();
  const { setup } = useTexts();
  const field = fieldsOf(draft, change, error);
  return (
    <Stack>
      <TextInput label={texts.firstName} maxLength={64} {...field.text('firstName')} />
      <TextInput label={texts.lastName} maxLength={64} {...field.text('lastName')} />
      <TextInput label={texts.email} type="email" {...field.text('email')} />
      <Select label={setup.language} {...field.choice('locale', languageOptions(setup.languages, draft.locale))} />
    </Stack>
  );
};

/** User permission fields. Permissions the editor lacks are disabled. */
export const AccessFields = ({ draft, change }: Omit<FieldsProps<Required<UserAccess>>, 'error'>) => {
  const texts = useAdminTexts();
  const { permissions: names } = useTexts();
  const me = useMe();
  const can = useCan();
  const field = fieldsOf(draft, change);
  const all = Object.keys(names) as Permission[];
  return (
    <Stack>
      <Switch label={texts.canLogin} {...field.check('canLogin')} />
      {me.isAdmin && <Switch label={texts.isAdmin} {...field.check('isAdmin')} />}
      {!draft.isAdmin && (
        <Checkbox.Group
          label={texts.permissions}
          value={draft.permissions}
          onChange={(chosen) => change({ permissions: all.filter((permission) => chosen.includes(permission)) })}
        >
          <Group mt="xs">
            {all.map((permission) => (
              <Checkbox key={permission} value={permission} label={names[permission]} disabled={!can(permission)} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </Stack>
  );
};

export const accessOf = ({ canLogin, isAdmin, permissions }: User): Required<UserAccess> => ({
  canLogin,
  isAdmin,
  permissions,
});
