import * as z from 'zod';
import { paged, pageQuery } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { SensorWithFalls } from '#shared/domain/event/open-fall-view.ts';
import { idText } from '#shared/domain/values.ts';

/**
 * A separate function, because consoles request open falls every few seconds, and long lists must not delay those
 * requests.
 */
export const openFalls = group({
  name: 'open-falls',
  about: 'Falls that are not over yet',
  operations: {
    listOpenFalls: {
      method: 'GET',
      path: '/customers/{customerId}/open-falls',
      summary: 'List open falls',
      description:
        "Returns the customer's sensors with a fall that is not over, ordered by id. The list does not depend on " +
        'rules. A fall ends when the device reports the end, when someone closes the fall, two hours after it timed ' +
        'out, or when the sensor is deleted or moved to another customer. Acknowledged falls stay in the list for ' +
        'two hours at most. `total` counts sensors, including those with only acknowledged falls. Changes may take a ' +
        'second to appear.',
      auth: 'user',
      may: 'logged_in',
      display: true,
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
