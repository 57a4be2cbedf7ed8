import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { Customer, CustomerUpdate } from '#shared/domain/identity/customer.ts';
import { idText, Status } from '#shared/domain/values.ts';

const ByCustomer = z.object({ customerId: idText });

export const customers = group({
  name: 'customers',
  about: 'Homes that users, sensors and rules belong to',
  operations: {
    listCustomers: {
      method: 'GET',
      path: '/customers',
      summary: 'List all customers',
      auth: 'user',
      may: 'system_admin',
      success: 200,
      response: z.array(Customer),
      uses: ['customers.list'],
    },
    createCustomer: {
      method: 'POST',
      path: '/customers',
      summary: 'Create a customer',
      auth: 'user',
      may: 'system_admin',
      body: CustomerUpdate,
      success: 201,
      response: Customer,
      uses: ['limits.nextNumber', 'customers.create'],
    },
    getCustomer: {
      method: 'GET',
      path: '/customers/{customerId}',
      summary: 'Get a customer',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: ByCustomer,
      success: 200,
      response: Customer,
      errors: ['customer_not_found'],
      uses: ['customers.get'],
    },
    updateCustomer: {
      method: 'PUT',
      path: '/customers/{customerId}',
      summary: 'Update a customer',
      auth: 'user',
      may: 'manage_customers',
      within: 'customer',
      params: ByCustomer,
      body: CustomerUpdate,
      success: 200,
      response: Customer,
      errors: ['customer_not_found'],
      uses: ['customers.update'],
    },
    deleteCustomer: {
      method: 'DELETE',
      path: '/customers/{customerId}',
      summary: 'Delete a customer',
      description:
        'Deletes a customer without users and sensors, along with its bots, webhooks, rules and sensor groups. Repeat the ' +
        'request if it was interrupted.',
      auth: 'user',
      may: 'system_admin',
      within: 'customer',
      params: ByCustomer,
      success: 200,
      response: Status,
      errors: ['customer_not_found', 'customer_in_use'],
      uses: [
        'customers.remove',
        'bots.list',
        'bots.forget',
        'bots.remove',
        'webhooks.list',
        'webhooks.forget',
        'rules.list',
        'rules.remove',
        'sensorGroups.list',
        'sensorGroups.remove',
      ],
    },
  },
});
