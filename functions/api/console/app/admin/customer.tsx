import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Customer, CustomerUpdate } from 'openapi';
import type { FormEvent } from 'react';
import { useLocation, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';

const pathOf = (customerId: number) => ({ params: { path: { customerId } } });
const refresh = [['customers'], ['customer']];

const Editor = ({ customer }: { customer: Customer | null }) => {
  const { admin: texts, setup, save: label } = useTexts();
  const [, go] = useLocation();
  const [draft, change] = useDraft<CustomerUpdate>({
    name: customer?.name ?? '',
    location: customer?.location ?? '',
    email: customer?.email ?? '',
  });
  const save = useWrite({
    send: (body: CustomerUpdate) =>
      customer
        ? ok(api.PUT('/customers/{customerId}', { ...pathOf(customer.id), body }))
        : ok(api.POST('/customers', { body })),
    done: setup.saved,
    refresh,
    onDone: () => go('/customers'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft);
  };
  const field = (name: keyof CustomerUpdate) => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => change({ [name]: currentTarget.value }),
    error: faultOf(save.error, name),
  });
  return (
    <form onSubmit={submit} className="narrow">
      <Stack>
        <TextInput label={setup.name} required maxLength={128} {...field('name')} />
        <TextInput label={texts.location} maxLength={256} {...field('location')} />
        <TextInput label={texts.email} type="email" {...field('email')} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const Existing = ({ customerId }: { customerId: number }) => {
  const { admin: texts } = useTexts();
  const [, go] = useLocation();
  const customer = useQuery({
    queryKey: ['customer', customerId],
    queryFn: () => ok(api.GET('/customers/{customerId}', pathOf(customerId))),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return (
    <Loaded query={customer}>
      {(found) => (
        <>
          <Head title={found.name} back={{ href: '/customers', label: texts.customers }}>
            <DeleteButton
              name={found.name}
              text={texts.deleteCustomer}
              send={() => ok(api.DELETE('/customers/{customerId}', pathOf(found.id)))}
              refresh={[['customers']]}
              onDone={() => go('/customers')}
            />
          </Head>
          <Editor customer={found} />
        </>
      )}
    </Loaded>
  );
};

export const CustomerPage = () => {
  const { customerId = '' } = useParams();
  const { admin: texts } = useTexts();
  if (customerId !== 'new') return <Existing key={customerId} customerId={Number(customerId)} />;
  return (
    <>
      <Head title={texts.newCustomer} back={{ href: '/customers', label: texts.customers }} />
      <Editor customer={null} />
    </>
  );
};
