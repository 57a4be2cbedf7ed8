import { serve } from '../../shared/api/serve.ts';
import { customers } from './contract.ts';

export const handler = serve(customers, {
  listCustomers: async (_, { store }) => store.customers.list(),

  createCustomer: async ({ body }, { store, now }) => {
    const time = now();
    const customer = { ...body, id: await store.limits.nextNumber('customers'), createDate: time, updateDate: time };
    await store.customers.create(customer);
    return customer;
  },

  getCustomer: async ({ customerId, fail }, { store }) =>
    (await store.customers.get(customerId)) ?? fail('customer_not_found'),
});
