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
      "user: with a session; token: with that user's access token; device: with a device token; key: with a " +
      'provisioning key; link: with a link or code sent to that user; anonymous: without credentials; ' +
      'home_assistant: by the button in Home Assistant; receiver: by `X-Acknowledged-By` in a webhook response',
  }),
  id: z.string().nullable().meta({ description: 'id of the user, sensor, provisioning key or webhook' }),
  name: z
    .string()
    .nullable()
    .meta({
      description:
        'the name at the time; for a token, the user, with the token in brackets; for a receiver, the name in the ' +
        'response',
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
    from: z.unknown().meta({ description: 'the previous value; null if there was none' }),
    to: z.unknown().meta({ description: 'the new value' }),
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
      description: "the caller's IP address; for IPv6, the /64 network; for a receiver, the host in the webhook URL",
    }),
    operation: z.string().meta({ description: 'the `operationId` in this document' }),
    object: z.object({
      kind: z.enum(objectKinds),
      id: z.string(),
      name: z.string().nullable().optional().meta({
        description: 'the current name; null if the object no longer exists; missing for kinds without names',
      }),
    }),
    changes: z.array(z.string()).meta({
      description: 'names of the fields set by the request, up to 400 characters',
    }),
    details: z
      .array(AuditDetail)
      .default([])
      .meta({
        description:
          'which of these fields changed, and how; without personal, secret or long values; for long lists, only ' +
          'what was removed and added',
      }),
    requestId: z
      .string()
      .meta({ description: 'for a receiver, the delivery id; for a change by an import, the import id' }),
    refused: z.boolean().meta({ description: 'true: the caller lacked permission, or the password was wrong' }),
    count: int64.optional().meta({
      description:
        'for refused requests: how many identical ones by the same actor within a minute the entry stands for',
    }),
  })
  .meta({ id: 'AuditLine' });
export type AuditEntry = z.output<typeof AuditEntry>;
/** An entry as stored. The id contains the time. Older entries have no details. */
export type StoredAuditEntry = Omit<AuditEntry, 'date' | 'details'> & { details?: AuditDetail[] };
export type AuditObject = AuditEntry['object'];
