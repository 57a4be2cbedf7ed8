import { Switch, TextInput } from '@mantine/core';
import { useLocation, useParams } from 'wouter';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { Customer, CustomerUpdate } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { PersonalDataLink } from '../personal-data/link.tsx';
import { useMe } from '../session/session.tsx';
import { useCustomer } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { useEditQuery } from '../ui/edit-query.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { browserZone, ZoneSelect } from '../ui/zone-select.tsx';
import { useAdminTexts } from './texts.ts';

const pathOf = (customerId: number) => ({ params: { path: { customerId } } });
const refresh = [['customers'], ['customer']];

const Editor = ({ customer }: { customer: Customer | null }) => {
  const texts = useAdminTexts();
  const { setup, save: label } = useTexts();
  const [, go] = useLocation();
  const { choose } = useCustomer();
  const [draft, change] = useDraft<Required<CustomerUpdate>>({
    name: customer?.name ?? '',
    location: customer?.location ?? '',
    email: customer?.email ?? '',
    timeZone: customer?.timeZone ?? browserZone,
    requireOtp: customer?.requireOtp ?? false,
  });
  const save = useWrite({
    send: (body: CustomerUpdate) =>
      customer
        ? ok(api.PUT('/customers/{customerId}', { ...pathOf(customer.id), body }))
        : ok(api.POST('/customers', { body })),
    done: setup.saved,
    refresh,
    onDone: (saved) => {
      if (!customer) choose(saved.id);
      go(customer ? '/customers' : '/');
    },
  });
  const field = fieldsOf(draft, change, save.error);
  return (
    <Form action={label} isPending={save.isPending} onSubmit={() => save.mutate(draft)} className="narrow">
      <TextInput label={setup.name} required maxLength={128} {...field.text('name')} />
      <TextInput label={texts.location} maxLength={256} {...field.text('location')} />
      <TextInput label={texts.email} type="email" {...field.text('email')} />
      <ZoneSelect
        description={texts.zoneHint}
        value={draft.timeZone}
        onChange={(timeZone) => change({ timeZone })}
        error={faultOf(save.error, 'timeZone')}
      />
      <Switch
        label={texts.requireOtp}
        description={texts.requireOtpHint}
        checked={draft.requireOtp}
        onChange={({ currentTarget }) => change({ requireOtp: currentTarget.checked })}
      />
    </Form>
  );
};

/** The form for a customer. Only system admins can delete a customer. */
export const ExistingCustomer = ({ customerId }: { customerId: number }) => {
  const texts = useAdminTexts();
  const { titles } = useTexts();
  const { isAdmin } = useMe();
  const [, go] = useLocation();
  const customer = useEditQuery(['customer', customerId], () =>
    ok(api.GET('/customers/{customerId}', pathOf(customerId))),
  );
  return (
    <Loaded query={customer}>
      {(found) => (
        <>
          <Head title={found.name} {...(isAdmin && { back: { href: '/customers', label: titles.customers } })}>
            <AuditLink kind="customer" id={found.id} />
            <PersonalDataLink kind="customer" customerId={found.id} />
            {isAdmin && (
              <DeleteButton
                name={found.name}
                text={texts.deleteCustomer}
                send={() => ok(api.DELETE('/customers/{customerId}', pathOf(found.id)))}
                refresh={[['customers']]}
                onDone={() => go('/customers')}
              />
            )}
          </Head>
          <Editor customer={found} />
        </>
      )}
    </Loaded>
  );
};

export const CustomerPage = () => {
  const { customerId = '' } = useParams();
  const { titles, setup } = useTexts();
  if (customerId !== 'new') return <ExistingCustomer key={customerId} customerId={Number(customerId)} />;
  return (
    <>
      <Head title={setup.newCustomer} back={{ href: '/customers', label: titles.customers }} />
      <Editor customer={null} />
    </>
  );
};
