import * as z from 'zod';
import {
  paged,
  pageQuery,
  partialListDescription,
  partialListHeaders,
  sensorParameter,
} from '#shared/api/http/paging.ts';
import { group, watchUses } from '#shared/api/operation.ts';
import { urgentSituations } from '#shared/domain/rule/alarm.ts';
import { Alarm, alarmStates } from '#shared/domain/rule/alarm-view.ts';
import { idText, integerQuery, millis, text } from '#shared/domain/values.ts';
import { CustomerState, MAX_CUSTOMERS } from '#shared/domain/watch/customer-state.ts';

const time = (description: string) => integerQuery(millis).optional().meta({ description });

const customerIds = z
  .string()
  .regex(/^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/)
  .transform((ids) => [...new Set(ids.split(',').map(Number))])
  .check((ctx) => {
    if (ctx.value.length > MAX_CUSTOMERS)
      ctx.issues.push({ code: 'custom', input: ctx.value, params: { key: 'maximum', limit: MAX_CUSTOMERS } });
  })
  .meta({ description: `up to ${MAX_CUSTOMERS} ids, separated by commas`, example: '1,2' });

/** A separate function, because long lists must not delay requests people wait for during an alarm. */
export const alarmList = group({
  name: 'alarm-list',
  about: 'Falls and other urgent events, with their notifications, answers and ends',
  operations: {
    listAlarms: {
      method: 'GET',
      path: '/customers/{customerId}/alarms',
      summary: 'List the alarms of a customer',
      description:
        'Returns the falls and other urgent events of the last 120 days, newest first, whether a rule fired for them or not. ' +
        'The alarms of an event, and those of all events of a fall, are one entry. What happened to a sensor stays with the ' +
        `customer it belonged to at the time. ${partialListDescription('400', '400')} Parts that are read this way contain each ` +
        'alarm once, even if falls arrive in the meantime. Changes may take a second to appear. With `Accept: text/csv` the ' +
        'same part is returned as CSV (RFC 4180, UTF-8 with a byte order mark).',
      auth: 'user',
      may: 'logged_in',
      display: true,
      within: 'customer',
      params: z.object({ customerId: idText }),
      ...partialListHeaders,
      query: z.object({
        ...pageQuery,
        after: text(1, 80).optional().meta({
          description: 'continues the list; taken from the `Link` header of a response',
        }),
        from: time('only alarms from this time on, ms'),
        to: time('only alarms up to this time, ms'),
        state: z.enum(alarmStates).optional().meta({ description: 'only alarms in this state' }),
        situation: z.enum(urgentSituations).optional().meta({ description: 'only alarms of this situation' }),
        sensorId: sensorParameter,
        sensorGroupId: idText.optional().meta({ description: 'only alarms of the sensors that are in this group now' }),
      }),
      success: 200,
      response: paged(Alarm),
      orCsv: true,
      errors: ['customer_not_found'],
      uses: ['customers.get', 'sensors.list', 'sensors.getAll', 'sensorGroups.get', 'alarmLists.page'],
    },
    listCustomerStates: {
      method: 'GET',
      path: '/customers/states',
      summary: 'List the open alarms and gaps of customers',
      description:
        'Returns the number of open alarms and of monitoring gaps of some customers, for lists of customers. Unknown ids are ' +
        'left out. `openAlarms` counts the alarms of the last 24 hours that nobody has acknowledged and that are not over.',
      auth: 'user',
      may: 'system_admin',
      query: z.object({ customerIds }),
      success: 200,
      response: z.array(CustomerState),
      uses: [...watchUses, 'alarmLists.page'],
    },
  },
});
