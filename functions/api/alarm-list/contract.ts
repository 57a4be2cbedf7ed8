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

/** A separate function, because long lists must not delay the requests people are waiting for during an alarm. */
export const alarmList = group({
  name: 'alarm-list',
  about: 'Falls and other urgent events: who was notified, who acknowledged, and when they ended',
  operations: {
    listAlarms: {
      method: 'GET',
      path: '/customers/{customerId}/alarms',
      summary: "List a customer's alarms",
      description:
        'Returns the falls and other urgent events of the last 120 days, newest first, whether a rule fired for them ' +
        'or not. All alarms for one event, or for all events of one fall, are a single entry. Alarms stay with the ' +
        `customer the sensor belonged to at the time. ${partialListDescription('400', '400')} Pages read this way ` +
        'contain each alarm once, even if falls arrive in the meantime. Changes may take a second to appear. With ' +
        '`Accept: text/csv` the same page is returned as CSV (RFC 4180, UTF-8 with a byte order mark).',
      auth: 'user',
      may: 'logged_in',
      display: true,
      within: 'customer',
      params: z.object({ customerId: idText }),
      ...partialListHeaders,
      query: z.object({
        ...pageQuery,
        after: text(1, 80).optional().meta({
          description: "continues the list; taken from a response's `Link` header",
        }),
        from: time('only alarms from this time on, ms'),
        to: time('only alarms up to this time, ms'),
        state: z.enum(alarmStates).optional().meta({ description: 'only alarms in this state' }),
        situation: z.enum(urgentSituations).optional().meta({ description: 'only alarms for this situation' }),
        sensorId: sensorParameter,
        sensorGroupId: idText.optional().meta({ description: 'only alarms from sensors that are in this group now' }),
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
      summary: "Count customers' open alarms and gaps",
      description:
        'Returns the number of open alarms and monitoring gaps for each of these customers, for use in customer ' +
        'lists. Unknown ids are left out. `openAlarms` counts alarms from the last 24 hours that are not over and ' +
        'that nobody has acknowledged.',
      auth: 'user',
      may: 'system_admin',
      query: z.object({ customerIds }),
      success: 200,
      response: z.array(CustomerState),
      uses: [...watchUses, 'alarmLists.page'],
    },
  },
});
