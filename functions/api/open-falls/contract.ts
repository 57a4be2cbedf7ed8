import * as z from 'zod';
import { paged, pageQuery } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { SensorWithFalls } from '#shared/domain/event/open-fall-view.ts';
import { idText } from '#shared/domain/values.ts';

/**
 * This group has a function of its own, so that the requests of consoles every few seconds and long lists do not delay
 * each other.
 */
export const openFalls = group({
  name: 'open-falls',
  about: 'Falls that are not over',
  operations: {
    listOpenFalls: {
      method: 'GET',
      path: '/customers/{customerId}/open-falls',
      summary: 'List the sensors of a customer with a fall that is not over, in the order of their ids',
      description:
        'The list does not depend on rules. A fall ends by a message of its device, by time, or when its sensor moves to ' +
        'another customer or is deleted. `total` counts sensors; it and the list may lag by a second.',
      auth: 'user',
      may: 'logged_in',
      within: 'customer',
      params: z.object({ customerId: idText }),
      query: z.object(pageQuery),
      success: 200,
      response: paged(SensorWithFalls),
      errors: ['customer_not_found'],
      uses: ['customers.get', 'openFalls.page'],
    },
  },
});
