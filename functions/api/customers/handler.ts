import { serve } from '#shared/api/serve.ts';
import { clear } from './clear.ts';
import { customers } from './contract.ts';

export const handler = serve(customers, {
  listCustomers: async (_, { store }) => store.customers.list(),

  createCustomer: async ({ body }, { store, now }) => {
    const time = now();
    const id = await store.limits.nextNumber('customers');
    const customer = { ...body, timeZone: body.timeZone ?? 'UTC', id, createDate: time, updateDate: time };
    await store.customers.create(customer);
    return customer;
  },

  getCustomer: async ({ customerId, fail }, { store }) =>
    (await store.customers.get(customerId)) ?? fail('customer_not_found'),

  updateCustomer: async ({ customerId, body, fail }, { store, now }) =>
    (await store.customers.update(customerId, body, now())) ?? fail('customer_not_found'),

  deleteCustomer: async ({ customerId, fail }, { store, now }) => {
    const problem = await store.customers.remove(customerId);
    if (problem === 'in_use') return fail('customer_in_use');
    const cleared = await clear(store, customerId, now());
    return problem === 'gone' && cleared === 0 ? fail('customer_not_found') : { status: 'OK' };
  },
});
