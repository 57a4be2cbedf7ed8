import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { Report } from '#shared/domain/rule/report.ts';
import { MonthOrDay } from '#shared/domain/time/calendar.ts';
import { Bytes, idText } from '#shared/domain/values.ts';

/** The months that a span may touch, the rule hits in it, and the sensors of its customer. */
export const MOST_MONTHS = 12;
export const MOST_HITS = 20_000;
export const MOST_SENSORS = 2_000;

const shared = defaults({
  method: 'GET',
  auth: 'user',
  may: 'logged_in',
  within: 'customer',
  params: z.object({ customerId: idText }),
  query: z.object({
    from: MonthOrDay.optional().meta({
      description: 'the first month or day; left out: this month',
      example: '2026-10',
    }),
    to: MonthOrDay.optional().meta({
      description: 'the last month or day; left out: that of `from`',
      example: '2026-11',
    }),
  }),
  success: 200,
  errors: ['customer_not_found', 'report_too_long'],
  uses: ['customers.get', 'sensors.list', 'reports.hits', 'reports.feedback'],
});

const madeOf =
  'Days and months are those of the time zone of the customer. A report is made of rule hits with their acknowledgements, ' +
  'and of feedback, which are kept for 120 days: what no rule told of is not in it, nor are months of which nothing is ' +
  'kept. Hits of simulated events are not counted. Of an event that several rules fired for, the first answer and the ' +
  'newest feedback count. Feedback that names no event counts when it refers to. Silence is what rules on ' +
  '`sensor_inactive` told; its end is told by a rule on `sensor_active`, or has not come yet. ' +
  `A span touches at most ${MOST_MONTHS} months; the answer is 409 when it has more than ${MOST_HITS} rule hits, or the ` +
  `customer more than ${MOST_SENSORS} sensors.`;

/** A function of its own: what reads many hits does not delay what people wait for in an alarm. */
export const reports = group({
  name: 'reports',
  about: 'Falls, false alarms, answers and silence by month and room',
  operations: {
    getReport: {
      ...shared,
      path: '/customers/{customerId}/report',
      summary: 'Count falls, false alarms, answers and silence of a customer by month and room',
      description: madeOf,
      response: Report,
    },
    downloadReport: {
      ...shared,
      path: '/customers/{customerId}/report.csv',
      summary: 'Get the same report as a table',
      description:
        'CSV by RFC 4180 in UTF-8 with a byte order mark, one line for each month and room. Times are in seconds. A text ' +
        'that a spreadsheet would take for a formula begins with an apostrophe.',
      media: ['text/csv; charset=utf-8'],
      describedHeaders: { 'Content-Disposition': 'a name for the file' },
      response: Bytes,
    },
  },
});
