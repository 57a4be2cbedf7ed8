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
    `(requires \`manage_users\`, in a session): ${listed(importColumns.users)}. A new username is a user who gets an invitation ` +
    'by email; known ones are updated, except for their email address.',
  sensors:
    `(requires \`manage_sensors\`; names also \`edit_sensor_config\`): ${listed(importColumns.sensors)}. Groups are known by ` +
    'their names, and created. A system admin links sensors that belong to nobody.',
  rules:
    `(requires \`manage_rules\`): ${listed(importColumns.rules)}. A rule is known by its name. \`sensor\` is a hardware id, ` +
    '`group` the name of a group; in `days` 1 is Monday; without `timeZone` that of the customer is used. Recipients are ' +
    'separated by `;`: `anna:email` is the user anna, `onDuty:sms` are the users on duty, `webhook:Nurse call` is a webhook ' +
    'of a bot. Steps of the escalation are separated by `|` and begin with their seconds: ' +
    '`60 onDuty:sms | 180 anna:email; berta:sms`.',
};

export const imports = group({
  name: 'imports',
  about: 'Import of users, sensors and rules from CSV',
  operations: {
    createImport: {
      ...ofCustomer,
      method: 'POST',
      path: '/customers/{customerId}/imports',
      summary: 'Import users, sensors or rules',
      description:
        `Imports at most ${MAX_ROWS} rows of CSV (UTF-8 with a header line, separated by commas or semicolons), or of JSON with the ` +
        'columns as fields. All rows are checked before anything is changed; the response to invalid ones is 400 and names ' +
        'each. Then a job applies each row once. Empty cells keep what is there, so the same file again changes nothing. ' +
        `Other columns are ignored. Columns by kind:\n\n${Object.entries(columns)
          .map(([kind, line]) => `- \`${kind}\` ${line}`)
          .join('\n')}`,
      params: z.object({ customerId: idText }),
      query: z.object({
        kind: ImportKind,
        dryRun: z
          .enum(['true', 'false'])
          .default('false')
          .meta({ description: 'Only check the rows, and return what would change (200)' }),
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
        'Returns how an import went. It has failed if rows could not be applied, because something was changed after they were ' +
        'checked; `errors` names them, up to 100. All others were applied.',
      params: z.object({ customerId: idText, importId: jobIdText }),
      success: 200,
      response: Import,
      errors: ['job_not_found'],
      uses: ['imports.get'],
    },
  },
});
