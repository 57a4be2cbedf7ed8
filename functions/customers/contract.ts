import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { Customer, CustomerUpdate } from '../../shared/domain/customer.ts';
import { idText } from '../../shared/domain/values.ts';

export const customers = group({
  name: 'customers',
  operations: {
    listCustomers: {
      method: 'GET',
      path: '/customers',
      summary: 'List all customers',
      auth: 'user',
      may: 'system_admin',
      success: 200,
      response: z.array(Customer),
      uses: ['table:read'],
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
      uses: ['table:write'],
    },
    getCustomer: {
      method: 'GET',
      path: '/customers/{customerId}',
      summary: 'Get a customer',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: z.object({ customerId: idText }),
      success: 200,
      response: Customer,
      errors: ['customer_not_found'],
      uses: ['table:read'],
    },
  },
});
