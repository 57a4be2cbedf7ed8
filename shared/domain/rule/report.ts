import * as z from 'zod';
import { int64, millis } from '../values.ts';

const count = int64;
const figures = {
  falls: count.meta({ description: 'events `fall_detected` that a rule fired for, however many rules did' }),
  sensitiveFalls: count.meta({ description: 'events `fall_detected_sensitive` that a rule fired for' }),
  suspectedFalls: count.meta({
    description: 'events `fall_suspected` and `fall_suspected_sensitive` that a rule fired for',
  }),
  falseAlarms: count.meta({ description: 'feedback FALSE_POSITIVE' }),
  confirmed: count.meta({ description: 'feedback TRUE_POSITIVE' }),
  missed: count.meta({ description: 'feedback FALSE_NEGATIVE' }),
  acknowledged: count.meta({ description: 'those of the falls of all three kinds that somebody acknowledged' }),
  unanswered: count.meta({ description: 'those of them that nobody has acknowledged' }),
  medianMs: millis.nullable().meta({ description: 'half of the acknowledged were so by then; null: there is none' }),
  p90Ms: millis.nullable().meta({ description: 'nine of ten acknowledged were so by then' }),
  silences: count.meta({ description: 'events `sensor_inactive` that a rule fired for' }),
  silentMs: millis.meta({ description: 'how long those silences lasted whose end is known' }),
  silencesWithoutEnd: count.meta({ description: 'those whose end no rule told in the span' }),
} as const;

/** What a report says of a room or a home in a month. */
export const Figures = z.object(figures).meta({ id: 'ReportFigures' });
export type Figures = z.infer<typeof Figures>;

/** A month of a report, or what its span has of it. */
export const ReportMonth = z
  .object({
    month: z.string().meta({ description: '`YYYY-MM`' }),
    from: millis.meta({ description: 'what was before is not counted' }),
    to: millis.meta({ description: 'nor is what came at this time or later' }),
    isWhole: z.boolean().meta({ description: 'the whole month is counted, and over' }),
    total: Figures,
    days: z.array(
      z.object({
        date: z.string().meta({ description: '`YYYY-MM-DD`; none has yet to come' }),
        falls: count.meta({ description: '`falls` and `sensitiveFalls`' }),
        falseAlarms: count,
      }),
    ),
    rooms: z.array(
      Figures.extend({
        sensorId: z.string(),
        name: z.string().nullable().meta({ description: 'null: the customer does not have the sensor any more' }),
      }),
    ),
  })
  .meta({ id: 'ReportMonth' });
export type ReportMonth = z.infer<typeof ReportMonth>;

/** Falls, false alarms, answers and silence of a customer, by month and room. */
export const Report = z
  .object({
    timeZone: z.string().meta({ description: 'whose days and months these are' }),
    from: z.string().meta({ description: 'the first day' }),
    to: z.string().meta({ description: 'the last day' }),
    months: z.array(ReportMonth),
  })
  .meta({ id: 'Report' });
export type Report = z.infer<typeof Report>;
