import * as z from 'zod';
import { lookedHeaders, lookedQuery, lookedText, paged } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { AuditLine, auditIdText } from '#shared/domain/identity/audit.ts';
import { objectKinds } from '#shared/domain/identity/audit-kinds.ts';
import { idOrNoneText, integerQuery, millis, text } from '#shared/domain/values.ts';

const time = (description: string) => integerQuery(millis).optional().meta({ description });
const only = (description: string) => text(1, 64).optional().meta({ description });

export const audit = group({
  name: 'audit',
  about: 'Who changed what',
  operations: {
    listAudit: {
      method: 'GET',
      path: '/customers/{customerId}/audit',
      summary: 'List who changed what in a customer in the last 400 days, newest first',
      description:
        'There is a line for each call that changes something, for each call that a known caller had no right to make, and ' +
        'for each login and each login with a wrong password. Reads and messages of devices have none. A line is written ' +
        'before its change: a process that dies in between leaves a line of a change that was not made. What belongs to no ' +
        `customer, such as firmwares, is under customer 0, which system admins read. ${lookedText('500', '5,000')}`,
      auth: 'user',
      may: 'manage_users',
      within: 'customer',
      params: z.object({ customerId: idOrNoneText }),
      ...lookedHeaders,
      query: z.object({
        ...lookedQuery(auditIdText),
        actorId: only('only what the user, sensor or provisioning key with this id did'),
        operation: only('only calls of this operation'),
        objectKind: z.enum(objectKinds).optional().meta({ description: 'only what was about objects of this kind' }),
        objectId: only('only what was about objects with this id'),
        since: time('only lines from this time on, ms'),
        until: time('only lines up to this time, ms'),
        refused: z
          .enum(['true', 'false'])
          .transform((given) => given === 'true')
          .optional()
          .meta({ description: 'only what was refused, or what was not' }),
      }),
      success: 200,
      response: paged(AuditLine),
      errors: ['customer_not_found'],
      uses: ['audit.page', 'customers.get'],
    },
  },
});
