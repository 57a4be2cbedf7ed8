import * as z from 'zod';
import { paged, partialListDescription, partialListHeaders, partialListQuery } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { AuditEntry, auditIdText } from '#shared/domain/identity/audit.ts';
import { objectKinds } from '#shared/domain/identity/audit-kinds.ts';
import { idOrZeroText, integerQuery, millis, text } from '#shared/domain/values.ts';

const time = (description: string) => integerQuery(millis).optional().meta({ description });
const filter = (description: string) => text(1, 64).optional().meta({ description });

/** The store calls used to look up object names. */
export const naming = [
  'customers.get',
  'users.get',
  'sensors.getAll',
  'sensorGroups.list',
  'bots.get',
  'rules.getAll',
  'webhooks.getAll',
] as const;

export const audit = group({
  name: 'audit',
  about: 'Log of changes, logins and refused requests',
  operations: {
    listAudit: {
      method: 'GET',
      path: '/customers/{customerId}/audit',
      summary: "List a customer's audit log",
      description:
        'Returns entries from the last 400 days, newest first. There is an entry for each request that changes ' +
        'something, for each request that a known caller was not allowed to make, and for each login, including ' +
        'those with a wrong password. Reads and device messages are not logged. An entry is written before the ' +
        'change, so a process that crashes in between leaves an entry for a change that was never made. Requests ' +
        'that do not concern a customer, such as those on firmware, are logged under customer 0, which only system ' +
        `admins can read. ${partialListDescription('500', '5,000')}`,
      auth: 'user',
      may: 'manage_users',
      within: 'customer',
      params: z.object({ customerId: idOrZeroText }),
      ...partialListHeaders,
      query: z.object({
        ...partialListQuery(auditIdText),
        actorId: filter('only requests by the user, sensor or provisioning key with this id'),
        operation: filter('only requests to this operation'),
        objectKind: z
          .enum(objectKinds)
          .optional()
          .meta({ description: 'only requests concerning this kind of object' }),
        objectId: filter('only requests concerning the object with this id'),
        since: time('only entries from this time on, ms'),
        until: time('only entries up to this time, ms'),
        refused: z
          .enum(['true', 'false'])
          .transform((value) => value === 'true')
          .optional()
          .meta({ description: '`true`: only refused requests; `false`: only permitted ones' }),
      }),
      success: 200,
      response: paged(AuditEntry),
      errors: ['customer_not_found'],
      uses: ['audit.page', ...naming],
    },
  },
});
