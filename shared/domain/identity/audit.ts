import * as z from 'zod';
import { millis } from '../values.ts';
import { actorKinds, objectKinds } from './audit-kinds.ts';

/** The id of a line of the audit, which contains its time. */
export const auditIdText = z.string().regex(/^\d{14}[0-9a-f]{12}$/);

/** Who made a call. */
export const Actor = z.object({
  kind: z.enum(actorKinds).meta({
    description:
      'user: by a login; token: by an access token of that user; device: by the token of a device; key: by a ' +
      'provisioning key; link: by an address or a code that was sent to that user; anonymous: by nobody known',
  }),
  id: z.string().nullable().meta({ description: 'of the user, the sensor or the provisioning key' }),
  name: z.string().nullable().meta({ description: 'as it was then; of a token: the user, and the token in brackets' }),
});
export type Actor = z.output<typeof Actor>;

/** A line of the audit in answers of the API. */
export const AuditLine = z
  .object({
    id: auditIdText,
    date: millis,
    actor: Actor,
    address: z.string().meta({ description: 'the address of the caller, of IPv6 its /64 network' }),
    operation: z.string().meta({ description: 'the `operationId` of this document' }),
    object: z.object({ kind: z.enum(objectKinds), id: z.string() }),
    changes: z.array(z.string()).meta({
      description: 'the names of the fields that the call set, as many as fit into 400 characters; never values',
    }),
    requestId: z.string(),
    refused: z.boolean().meta({ description: 'true: the caller lacked the right, or the password was wrong' }),
  })
  .meta({ id: 'AuditLine' });
export type AuditLine = z.output<typeof AuditLine>;
/** A line as it is kept: its time is in its id. */
export type StoredLine = Omit<AuditLine, 'date'>;
export type AuditObject = AuditLine['object'];
