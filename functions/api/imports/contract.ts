import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { jobIdText } from '#shared/domain/identity/data-job-view.ts';
import {
  Import,
  ImportKind,
  ImportResult,
  ImportRows,
  importColumns,
  MAX_ROWS,
} from '#shared/domain/import/import-view.ts';
import { idText } from '#shared/domain/values.ts';

const ofCustomer = defaults({
  auth: 'user',
  may: ['manage_users', 'manage_sensors', 'manage_rules'],
  within: 'customer',
});

const listed = (columns: readonly string[]): string => columns.map((name) => `\`${name}\``).join(', ');
const columns: Readonly<Record<ImportKind, string>> = {
  users:
    `(requires \`manage_users\`, in a session): ${listed(importColumns.users)}. New users get an invitation by ` +
    'email. Users whose username exists are updated, except for their email address.',
  sensors:
    `(requires \`manage_sensors\`; names also \`edit_sensor_config\`): ${listed(importColumns.sensors)}. Groups are ` +
    'identified by name, and created if missing. Sensors without a customer are linked if the caller is a system ' +
    'admin.',
  rules:
    `(requires \`manage_rules\`): ${listed(importColumns.rules)}. Rules are identified by name. \`sensor\` is a ` +
    "hardware id, `group` a group name; in `days` 1 is Monday; without `timeZone` the customer's is used. Recipients " +
    'are separated by `;`: `anna:email` is the user anna, `onDuty:sms` are the users on duty, `webhook:Nurse call` ' +
    'is a bot webhook. Escalation steps are separated by `|` and begin with their seconds: `60 onDuty:sms | 180 ' +
    'anna:email; berta:sms`.',
};

export const imports = group({
  name: 'imports',
  about: 'Import users, sensors and rules from CSV',
  operations: {
    createImport: {
      ...ofCustomer,
      method: 'POST',
      path: '/customers/{customerId}/imports',
      summary: 'Import users, sensors or rules',
      description:
        `Imports at most ${MAX_ROWS} rows from CSV (UTF-8 with a header line, separated by commas or semicolons), or ` +
        'from JSON with the columns as fields. All rows are checked before anything is changed; if any are invalid, ' +
        'the response is 400 and lists them. Then a job applies each row once. Empty cells keep the current values, ' +
        'so importing the same file again changes nothing. Other columns are ignored. Columns by ' +
        `kind:\n\n${Object.entries(columns)
          .map(([kind, line]) => `- \`${kind}\` ${line}`)
          .join('\n')}`,
      params: z.object({ customerId: idText }),
      query: z.object({
        kind: ImportKind,
        dryRun: z
          .enum(['true', 'false'])
          .default('false')
          .meta({ description: 'only check the rows, and return what would change (200)' }),
      }),
      body: ImportRows,
      bodyKind: 'rows',
      success: 202,
      alsoSuccess: 200,
      response: ImportResult,
      errors: ['customer_not_found', 'limit_reached', 'erasure_requester'],
      uses: [
        'customers.get',
        'users.list',
        'sessions.accountKeyOf',
        'limits.countWithin',
        'limits.nextNumber',
        'limits.take',
        'sensors.list',
        'sensors.getAll',
        'sensors.get',
        'devices.idOfHardware',
        'sensorGroups.list',
        'sensorGroups.get',
        'rooms.get',
        'rules.list',
        'webhooks.list',
        'webhooks.getAll',
        'recipients.person',
        'channels.verifiedOf',
        'know:channels',
        'keep:quotas',
        'dataJobs.list',
        'imports.create',
        'enqueue:jobs',
      ],
    },
    getImport: {
      ...ofCustomer,
      method: 'GET',
      path: '/customers/{customerId}/imports/{importId}',
      summary: 'Get an import',
      description:
        'Returns the state of an import. The import has failed if rows could not be applied, because something ' +
        'changed after they were checked, or if it did not end within 6 hours; `errors` lists up to 100 of these ' +
        'rows, and may be empty. Importing the same file again applies what is missing.',
      params: z.object({ customerId: idText, importId: jobIdText }),
      success: 200,
      response: Import,
      errors: ['job_not_found'],
      uses: ['imports.get'],
    },
  },
});
