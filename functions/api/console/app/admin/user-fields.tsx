import { Checkbox, Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import type { User, UserAccess, UserUpdate } from 'openapi';
import { faultOf } from '../api/problem.ts';
import type { Permission } from '../session/may.ts';
import { useMay, useMe } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

type FieldsProps<T> = { draft: T; change: (part: Partial<T>) => void; error: unknown };

/** Who a user is. */
export const ProfileFields = ({ draft, change, error }: FieldsProps<UserUpdate>) => {
  const { admin: texts, setup } = useTexts();
  const field = (name: 'firstName' | 'lastName' | 'email') => ({
    label: texts[name],
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => change({ [name]: currentTarget.value }),
    error: faultOf(error, name),
  });
  return (
    <Stack>
      <TextInput maxLength={64} {...field('firstName')} />
      <TextInput maxLength={64} {...field('lastName')} />
      <TextInput type="email" {...field('email')} />
      <Select
        label={setup.language}
        data={Object.entries(setup.languages).map(([value, label]) => ({ value, label }))}
        value={draft.locale}
        onChange={(locale) => locale && change({ locale: locale as UserUpdate['locale'] })}
        allowDeselect={false}
      />
    </Stack>
  );
};

/** What a user may do. Nobody is offered to grant what they lack. */
export const AccessFields = ({ draft, change }: Omit<FieldsProps<Required<UserAccess>>, 'error'>) => {
  const { admin: texts, permissions: names } = useTexts();
  const me = useMe();
  const may = useMay();
  const all = Object.keys(names) as Permission[];
  return (
    <Stack>
      <Switch
        label={texts.canLogin}
        checked={draft.canLogin}
        onChange={({ currentTarget }) => change({ canLogin: currentTarget.checked })}
      />
      {me.isAdmin && (
        <Switch
          label={texts.isAdmin}
          checked={draft.isAdmin}
          onChange={({ currentTarget }) => change({ isAdmin: currentTarget.checked })}
        />
      )}
      {!draft.isAdmin && (
        <Checkbox.Group
          label={texts.permissions}
          value={draft.permissions}
          onChange={(chosen) => change({ permissions: all.filter((one) => chosen.includes(one)) })}
        >
          <Group mt="xs">
            {all.map((one) => (
              <Checkbox key={one} value={one} label={names[one]} disabled={!may(one)} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </Stack>
  );
};

export const accessOf = ({ canLogin, isAdmin, permissions }: User): Required<UserAccess> => ({
  ...{ canLogin, isAdmin, permissions },
});
