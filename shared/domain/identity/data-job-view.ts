import * as z from 'zod';
import { id, int64, millis, text } from '../values.ts';

/** A customer with all that it has; or a person: the one whom a sensor watches over, or a user. */
export const Subject = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('customer'), id }),
    z.object({ kind: z.literal('sensor'), id: text(1, 26) }),
    z.object({ kind: z.literal('user'), id }),
  ])
  .meta({ id: 'Subject', description: 'whose data it is about' });
export type Subject = z.output<typeof Subject>;

/** The id of a job, which contains its time. */
export const jobIdText = z.string().regex(/^[0-9a-z]{26}$/);

/** The body of a request that exports or erases data. */
export const NewDataJob = z
  .object({
    subject: Subject,
    reason: text(1, 256).meta({ description: 'why; it is kept with the job' }),
    password: z
      .string()
      .max(1_024)
      .default('')
      .meta({ description: 'the password of the caller, once more; of nobody who logs in at an issuer' }),
  })
  .meta({
    id: 'NewDataJob',
    examples: [
      { subject: { kind: 'user', id: 12 }, reason: 'Left the home, asked for it', password: 'the-own-password' },
    ],
  });
export type NewDataJob = z.output<typeof NewDataJob>;

const fields = z.object({
  id: jobIdText,
  state: z.enum(['running', 'completed', 'failed']),
  createDate: millis,
  updateDate: millis,
  subject: Subject,
  reason: z.string(),
  counts: z
    .record(z.string(), int64)
    .meta({ description: 'how many items of each kind there are in it, or were erased' }),
  url: z.string().nullable().meta({
    description:
      'where the result is: good for an hour, and null from a day after the end on; always null for an erasure',
  }),
});

export const DataExport = fields.meta({ id: 'DataExport' });
export type DataExport = z.output<typeof DataExport>;

const placesLeft = ['backups', 'logs', 'quarantine', 'list_of_erasures'] as const;
export const Erasure = fields
  .extend({
    remains: z
      .array(
        z.object({
          what: z.enum(placesLeft),
          until: millis.nullable().meta({ description: 'null: for as long as whoever runs the service keeps it' }),
        }),
      )
      .meta({ description: 'where traces are left, and until when; empty until it has completed' }),
  })
  .meta({ id: 'Erasure', description: 'An erasure. Once it has completed, this is its certificate' });
export type Erasure = z.output<typeof Erasure>;
