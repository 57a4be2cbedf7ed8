import * as z from 'zod';
import { int64, millis } from '../values.ts';

const count = int64;
const figures = {
  falls: count.meta({ description: '`fall_detected` events, whether or not rules fired for them, each counted once' }),
  sensitiveFalls: count.meta({ description: '`fall_detected_sensitive` events, whether or not rules fired for them' }),
  suspectedFalls: count.meta({
    description: '`fall_suspected` and `fall_suspected_sensitive` events for which rules fired',
  }),
  falseAlarms: count.meta({ description: 'feedback FALSE_POSITIVE' }),
  confirmed: count.meta({ description: 'feedback TRUE_POSITIVE' }),
  missed: count.meta({ description: 'feedback FALSE_NEGATIVE' }),
  acknowledged: count.meta({ description: 'acknowledged falls of all three kinds' }),
  unanswered: count.meta({ description: 'unacknowledged falls of all three kinds' }),
  medianMs: millis.nullable().meta({ description: 'median time to acknowledgement; null if none was acknowledged' }),
  p90Ms: millis.nullable().meta({ description: '90th percentile of the time to acknowledgement' }),
  silences: count.meta({ description: '`sensor_inactive` events for which rules fired' }),
  silentMs: millis.meta({ description: 'total time sensors were offline, as far as the end is known' }),
  silencesWithoutEnd: count.meta({
    description: 'offline periods whose end was not reported by a rule in the time range',
  }),
} as const;

/** Figures for a room or home in one month. */
export const Figures = z.object(figures).meta({ id: 'ReportFigures' });
export type Figures = z.infer<typeof Figures>;

/** A month in a report, or the part of it within the time span. */
export const ReportMonth = z
  .object({
    month: z.string().meta({ description: '`YYYY-MM`' }),
    from: millis.meta({ description: 'start of the counted time' }),
    to: millis.meta({ description: 'end of the counted time, exclusive' }),
    isWhole: z.boolean().meta({ description: 'the whole month is counted and has ended' }),
    total: Figures,
    days: z.array(
      z.object({
        date: z.string().meta({ description: '`YYYY-MM-DD`; days in the future are left out' }),
        falls: count.meta({ description: '`falls` and `sensitiveFalls`' }),
        falseAlarms: count,
      }),
    ),
    rooms: z.array(
      Figures.extend({
        sensorId: z.string(),
        name: z.string().nullable().meta({ description: 'null if the customer no longer has the sensor' }),
      }),
    ),
  })
  .meta({ id: 'ReportMonth' });
export type ReportMonth = z.infer<typeof ReportMonth>;

/** A customer's falls, false alarms, acknowledgements and offline times, by month and room. */
export const Report = z
  .object({
    timeZone: z.string().meta({ description: 'the time zone of these days and months' }),
    from: z.string().meta({ description: 'the first day' }),
    to: z.string().meta({ description: 'the last day' }),
    months: z.array(ReportMonth),
  })
  .meta({ id: 'Report' });
export type Report = z.infer<typeof Report>;
