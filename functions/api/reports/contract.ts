import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { Report } from '#shared/domain/rule/report.ts';
import { MonthOrDay } from '#shared/domain/time/day.ts';
import { Bytes, idText } from '#shared/domain/values.ts';

/** Report limits: calendar months, rule hits, and the customer's sensors. */
export const MAX_MONTHS = 12;
export const MAX_HITS = 20_000;
export const MAX_SENSORS = 2_000;

const common = defaults({
  method: 'GET',
  auth: 'user',
  may: 'logged_in',
  within: 'customer',
  params: z.object({ customerId: idText }),
  query: z.object({
    from: MonthOrDay.optional().meta({
      description: 'first month or day; default: the current month',
      example: '2026-10',
    }),
    to: MonthOrDay.optional().meta({
      description: 'last month or day; default: that of `from`',
      example: '2026-11',
    }),
  }),
  success: 200,
  errors: ['customer_not_found', 'report_too_long'],
  uses: ['customers.get', 'sensors.list', 'reports.hits', 'reports.fallsWithoutRule', 'reports.feedback'],
});

const description =
  'Counts falls, false alarms, response times and offline times by month and room. Days and months are in the ' +
  "customer's time zone. A report is based on rule hits, acknowledgements and feedback, which are kept for 120 days. " +
  'Falls count even if no rule fired for them; other events need a rule. Months without data are left out, and ' +
  'simulated events are not counted. If several rules fired for an event, the first acknowledgement and the latest ' +
  'feedback count. Feedback that does not name an event counts at the time it refers to. Offline times begin with ' +
  'hits of `sensor_inactive` rules, and end with hits of `sensor_active` rules. A report covers at most ' +
  `${MAX_MONTHS} calendar months. The response is 409 for more than ${MAX_HITS} rule hits, or if the customer has ` +
  `more than ${MAX_SENSORS} sensors.`;

/**
 * A separate function, because reading many hits must not delay the requests people are waiting for during an alarm.
 */
export const reports = group({
  name: 'reports',
  about: 'Falls, false alarms, response times and offline times by month and room',
  operations: {
    getReport: {
      ...common,
      path: '/customers/{customerId}/report',
      summary: 'Get a report',
      description,
      response: Report,
    },
    downloadReport: {
      ...common,
      path: '/customers/{customerId}/report.csv',
      summary: 'Download a report as CSV',
      description:
        'Returns the same report as CSV (RFC 4180, UTF-8 with a byte order mark), one line per month and room. Times ' +
        'are in seconds. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.',
      media: ['text/csv; charset=utf-8'],
      describedHeaders: { 'Content-Disposition': 'the file name' },
      response: Bytes,
    },
  },
});
