import * as z from 'zod';
import { group, watchUses } from '#shared/api/operation.ts';
import { idText } from '#shared/domain/values.ts';
import { Station } from '#shared/domain/watch/station.ts';

/** A separate function with little memory, because each open console calls it every few seconds. */
export const station = group({
  name: 'station',
  about: 'Content for station screens, which watch over people',
  operations: {
    getStation: {
      method: 'GET',
      path: '/customers/{customerId}/station',
      summary: 'Get the content for a station screen',
      description:
        "Returns open falls, the last day's most recently changed rule hits, what is not being watched, and who is " +
        "on duty, in one cheap request. A request with the last response's `ETag` in `If-None-Match` returns 304 " +
        'until any of these change; the watch date alone counts as a change only after five minutes. Read ' +
        "`/rule-hits` once for the day's earlier hits, and again whenever all returned hits have changed since the " +
        'last request. Changes may take a second to appear, changes to the watch and to who is on duty a minute, and ' +
        "changes to a hit's sensor six minutes.",
      auth: 'user',
      may: 'logged_in',
      display: true,
      isFrequent: true,
      within: 'customer',
      params: z.object({ customerId: idText }),
      success: 200,
      alsoSuccess: 304,
      describedHeaders: {
        ETag: 'Changes with the content. A request with this value in If-None-Match returns 304 until then',
      },
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
