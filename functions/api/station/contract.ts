import * as z from 'zod';
import { group, watchUses } from '#shared/api/operation.ts';
import { idText } from '#shared/domain/values.ts';
import { Station } from '#shared/domain/watch/station.ts';

/** A separate function with little memory, because each open console requests it every few seconds. */
export const station = group({
  name: 'station',
  about: 'What a screen that watches over people shows',
  operations: {
    getStation: {
      method: 'GET',
      path: '/customers/{customerId}/station',
      summary: 'Get what a station screen shows',
      description:
        'Returns open falls, the rule hits of the last day that changed last, what is not being watched, and who is on duty, in ' +
        'one cheap call. A request with the `ETag` of the last response in `If-None-Match` returns 304 until any of that ' +
        'changes; the date of the watch alone counts as a change only after five minutes. Read `/rule-hits` once for the ' +
        'earlier hits of the day, and again when each of these has changed since the last call. Changes may take a second to ' +
        'appear, those of the watch and of who is on duty a minute, and those of the sensors of hits six minutes.',
      auth: 'user',
      may: 'logged_in',
      display: true,
      isFrequent: true,
      within: 'customer',
      params: z.object({ customerId: idText }),
      success: 200,
      alsoSuccess: 304,
      describedHeaders: { ETag: 'Changes with the content. A request with it in If-None-Match gets 304 until then' },
      response: Station,
      errors: ['customer_not_found'],
      uses: [
        'openFalls.page',
        'hitLists.latestChanges',
        'hitLists.lastChanged',
        'sensors.getAll',
        'watches.latest',
        ...watchUses,
      ],
    },
  },
});
