import { PasswordInput, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { UserAccess, UserCreation, UserUpdate } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useCustomerId } from '../shell/customer.tsx';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { useAdminTexts } from './texts.ts';
import { AccessFields, ProfileFields } from './user-fields.tsx';

type Draft = UserUpdate & Required<UserAccess> & Required<Pick<UserCreation, 'username' | 'password' | 'invite'>>;

/** Creates a user. Making the user a system admin takes a second request. */
const useCreate = () => {
  const { setup } = useTexts();
  const customerId = useCustomerId();
  const [, go] = useLocation();
  return useWrite({
    send: async ({ isAdmin, password, ...rest }: Draft) => {
      const body = { ...rest, ...(!rest.invite && { password }), customerId };
      const user = await ok(api.POST('/users', { body }));
      if (!isAdmin) return user;
      const path = { userId: String(user.id) };
      const access = { canLogin: body.canLogin, permissions: body.permissions, isAdmin };
      return ok(api.PUT('/users/{userId}/access', { params: { path }, body: access }));
    },
    done: setup.saved,
    refresh: [['users']],
    onDone: () => go('/users'),
  });
};

export const NewUserForm = () => {
  const texts = useAdminTexts();
  const { create: label, titles } = useTexts();
  const hasNoCustomer = useCustomerId() === null;
  const locale = useLocale();
  const [draft, change] = useDraft<Draft>({
    username: '',
    password: '',
    invite: false,
    firstName: '',
    lastName: '',
    email: '',
    locale,
    telegramId: null,
    mobileNumber: null,
    canLogin: true,
    isAdmin: false,
    permissions: [],
  });
  const create = useCreate();
  const field = fieldsOf(draft, change, create.error);
  const config = useQuery({ queryKey: ['server config'], queryFn: () => ok(api.GET('/server/config')) });
  return (
    <>
      <Head title={texts.newUser} back={{ href: '/users', label: titles.users }} />
      <Form action={label} isPending={create.isPending} onSubmit={() => create.mutate(draft)} className="narrow">
        {hasNoCustomer && <Text>{texts.userWithoutCustomer}</Text>}
        <TextInput label={texts.username} required maxLength={64} autoComplete="off" {...field.text('username')} />
        {config.data?.passwordResetEnabled === 'true' && (
          <Switch label={texts.invite} description={texts.inviteHint} {...field.check('invite')} />
        )}
        {!draft.invite && (
          <PasswordInput
            label={texts.password}
            description={texts.passwordHint}
            required
            autoComplete="new-password"
            {...field.text('password')}
          />
        )}
        <ProfileFields draft={draft} change={change} error={create.error} />
        <AccessFields draft={draft} change={change} />
      </Form>
    </>
  );
};
