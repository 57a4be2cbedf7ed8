import * as z from 'zod';
import { int64, millis } from '../values.ts';
import { actorKinds, objectKinds } from './audit-kinds.ts';
import type { Caller } from './permission.ts';

/** An audit log entry id, which contains the time. */
export const auditIdText = z.string().regex(/^\d{14}[0-9a-f]{12}$/);

/** Who made a request. */
export const Actor = z.object({
  kind: z.enum(actorKinds).meta({
    description:
      'user: with a session; token: with an access token of that user; device: with a device token; key: with a ' +
      'provisioning key; link: with a link or code that was sent to that user; anonymous: without credentials; ' +
      'home_assistant: by the button in Home Assistant; receiver: by `X-Acknowledged-By` in a response to a webhook',
  }),
  id: z
    .string()
    .nullable()
    .meta({ description: 'the id of the user, the sensor, the provisioning key or the webhook' }),
  name: z.string().nullable().meta({
    description:
      'the name at that time; for a token the user, with the token in brackets; for a receiver the name in its response',
  }),
});
export type Actor = z.output<typeof Actor>;
/** Returns the actor for requests with a session or an access token. */
export const actorOfCaller = ({ kind, accountId, name }: Caller): Actor => ({
  kind: kind === 'token' ? 'token' : 'user',
  id: String(accountId),
  name,
});

/** A changed field, with the old and new values. */
const AuditDetail = z
  .object({
    field: z.string(),
    from: z.unknown().meta({ description: 'the value before; null if there was none' }),
    to: z.unknown().meta({ description: 'the value since' }),
  })
  .meta({ id: 'AuditDetail', examples: [{ field: 'isEnabled', from: true, to: false }] });
export type AuditDetail = z.output<typeof AuditDetail>;

/** An audit log entry in API responses. */
export const AuditEntry = z
  .object({
    id: auditIdText,
    date: millis,
    actor: Actor,
    address: z.string().meta({
      description: 'the IP address of the caller; for IPv6 its /64 network; for a receiver the host in its URL',
    }),
    operation: z.string().meta({ description: 'the `operationId` of this document' }),
    object: z.object({
      kind: z.enum(objectKinds),
      id: z.string(),
      name: z.string().nullable().optional().meta({
        description: 'its name now; null if it no longer exists; missing for kinds without names',
      }),
    }),
    changes: z.array(z.string()).meta({
      description: 'the names of the fields that the call set, up to 400 characters',
    }),
    details: z
      .array(AuditDetail)
      .default([])
      .meta({
        description:
          'which of these fields changed, and how; without personal and secret values, without values that are long, and of long ' +
          'lists only what was removed and added',
      }),
    requestId: z
      .string()
      .meta({ description: 'for a receiver the id of the delivery; for a change by an import its id' }),
    refused: z.boolean().meta({ description: 'true: the caller lacked the permission, or the password was wrong' }),
    count: int64.optional().meta({
      description:
        'for refused calls: the number of equal ones by the same actor within a minute that the entry stands for',
    }),
  })
  .meta({ id: 'AuditLine' });
export type AuditEntry = z.output<typeof AuditEntry>;
/** An entry as stored. The id contains the time. Older entries have no details. */
export type StoredAuditEntry = Omit<AuditEntry, 'date' | 'details'> & { details?: AuditDetail[] };
export type AuditObject = AuditEntry['object'];
