import * as z from 'zod';
import { id, int64, millis, text } from '../values.ts';
import { Actor } from './audit.ts';

/** A job subject: a customer with all of the customer's data, the resident a sensor watches over, or a user. */
export const Subject = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('customer'), id }).meta({ id: 'CustomerSubject' }),
    z.object({ kind: z.literal('sensor'), id: text(1, 26) }).meta({ id: 'SensorSubject' }),
    z.object({ kind: z.literal('user'), id }).meta({ id: 'UserSubject' }),
  ])
  .meta({ id: 'Subject', description: 'whose data it is' });
export type Subject = z.output<typeof Subject>;

/** A job id, which contains the time. */
export const jobIdText = z.string().regex(/^[0-9a-z]{26}$/);

/** The request body for exporting or erasing data. */
export const NewDataJob = z
  .object({
    subject: Subject,
    reason: text(1, 256).meta({ description: 'why; kept with the job' }),
    password: z.string().max(1_024).default('').meta({
      description: "the caller's password; left out by users who log in through an identity provider",
    }),
  })
  .meta({
    id: 'DataJobCreation',
    examples: [
      { subject: { kind: 'user', id: 12 }, reason: 'Left the home, asked for it', password: 'the-own-password' },
    ],
  });
export type NewDataJob = z.output<typeof NewDataJob>;

const fields = z.object({
  id: jobIdText,
  state: z.enum(['requested', 'running', 'completed', 'failed', 'canceled']).meta({
    description: 'requested, canceled: only customer erasures, which need an approval',
  }),
  createDate: millis,
  updateDate: millis,
  subject: Subject,
  reason: z.string(),
  actor: Actor.nullable().meta({ description: 'who requested the job; null if not recorded yet' }),
  counts: z.record(z.string(), int64).meta({ description: 'number of exported or erased items, by kind' }),
  fileUntil: millis.nullable().meta({ description: 'when the result file is deleted; null if there is none' }),
  url: z
    .string()
    .nullable()
    .meta({
      description:
        'URL of the result file, valid for five minutes; null for erasures, in lists, for access tokens, and for ' +
        'callers who lack a permission the export required',
    }),
});

export const DataExport = fields.meta({ id: 'DataExport' });
export type DataExport = z.output<typeof DataExport>;

const placesLeft = ['backups', 'logs', 'quarantine', 'outbox', 'list_of_erasures'] as const;
export const Erasure = fields
  .extend({
    begins: millis.nullable().meta({
      description: 'when a requested erasure begins at the earliest, once approved; null if no approval was needed',
    }),
    approvedBy: Actor.nullable(),
    canceledBy: Actor.nullable(),
    remains: z
      .array(
        z.object({
          what: z.enum(placesLeft),
          until: millis.nullable().meta({ description: 'null: as long as the service operator keeps it' }),
        }),
      )
      .meta({ description: 'where traces remain, and until when; empty until the erasure has completed' }),
  })
  .meta({ id: 'Erasure', description: 'An erasure. Once completed, this is the erasure certificate' });
export type Erasure = z.output<typeof Erasure>;
