import * as z from 'zod';
import { group, watchUses } from '#shared/api/operation.ts';
import { idText } from '#shared/domain/values.ts';
import { Watch } from '#shared/domain/watch/watch.ts';

/** A separate function, because consoles request the watch all the time, and many sensors and rules make it slow. */
export const watch = group({
  name: 'watch',
  about: 'Monitoring gaps: offline sensors, hours without a rule, unreachable recipients',
  operations: {
    getWatch: {
      method: 'GET',
      path: '/customers/{customerId}/watch',
      summary: "Get a customer's monitoring gaps",
      description:
        'Returns what is not being watched, and what keeps alarms from reaching people. Anyone who can see the ' +
        "customer's sensors can read the gaps, so that the night shift knows about them. They are computed at most " +
        'once a minute, at `date`, so a change may take a minute to appear.',
      auth: 'user',
      may: 'logged_in',
      display: true,
      within: 'customer',
      params: z.object({ customerId: idText }),
      success: 200,
      response: Watch,
      errors: ['customer_not_found'],
      uses: watchUses,
    },
  },
});
