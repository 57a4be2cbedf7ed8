import * as z from 'zod';
import { jobIdText } from '../identity/data-job-view.ts';
import { int64, millis } from '../values.ts';

export const ImportKind = z.enum(['users', 'sensors', 'rules']).meta({ description: 'what the rows are' });
export type ImportKind = z.output<typeof ImportKind>;

/** The columns in the file, by row kind. */
export const importColumns = {
  users: ['username', 'firstName', 'lastName', 'email', 'locale', 'telegramId', 'mobileNumber', 'permissions'],
  sensors: ['hardwareId', 'name', 'group'],
  rules: [
    'name',
    'title',
    'message',
    'situation',
    'sensor',
    'group',
    'days',
    'from',
    'to',
    'timeZone',
    'rateLimitSeconds',
    'includeSimulated',
    'isEnabled',
    'recipients',
    'escalation',
    'repeatSeconds',
    'untilAcknowledged',
  ],
} as const satisfies Record<ImportKind, readonly string[]>;

/** The maximum number of rows per import. */
export const MAX_ROWS = 1_000;

/** A row as sent: the cells in a CSV line, or the fields in an object. */
export const ImportRow = z.record(z.string(), z.unknown()).meta({
  id: 'ImportRow',
  description: "a row's columns, by name",
});
export type ImportRow = z.output<typeof ImportRow>;

/** The JSON body of an import. */
export const ImportRows = z
  .array(ImportRow)
  .min(1)
  .max(MAX_ROWS)
  .meta({
    id: 'ImportRows',
    examples: [[{ hardwareId: '02:00:00:5E:10:01', name: 'Room 12', group: 'Ward 2' }]],
  });

const RowError = z
  .object({
    row: int64.meta({ description: 'row number, from 1, not counting the header' }),
    field: z.string().meta({ description: 'the column' }),
    message: z.string().meta({ description: "in the caller's language", examples: ['is unknown'] }),
  })
  .meta({ id: 'ImportRowError' });

const counts = {
  rows: int64,
  created: int64.meta({ description: 'users to invite, sensors to link, or rules to create' }),
  updated: int64.meta({ description: 'users, sensors or rules to change; all other rows change nothing' }),
};

/** An accepted import. */
export const Import = z
  .object({
    id: jobIdText,
    kind: ImportKind,
    state: z.enum(['running', 'completed', 'failed']),
    createDate: millis,
    updateDate: millis,
    ...counts,
    errors: z.array(RowError).meta({
      description:
        'rows that could not be applied, because something changed after they were checked; they are included in ' +
        '`created` and `updated`',
    }),
  })
  .meta({ id: 'Import' });

/** The response to an import. A dry run returns only the counts. */
export const ImportResult = Import.partial().extend(counts).meta({ id: 'ImportResult' });
