import * as z from 'zod';
import { By } from '../rule/recipient.ts';
import { id, int64, millis, text } from '../values.ts';

/** A channel of a user, as its user sees it (completion 12). */
export const ChannelView = z
  .object({
    by: By,
    address: z.string().meta({ description: 'of a push: the host that pushes go to' }),
    provenDate: millis
      .nullable()
      .meta({ description: 'null until the code was sent back; nothing else is sent there until then' }),
  })
  .meta({ id: 'Channel' });

const point = z.string().regex(/^B[A-Za-z0-9_-]{86}$/);
const PushSubscription = z
  .object({
    endpoint: text(1, 2_048),
    keys: z.object({
      p256dh: point.meta({ description: 'a point of P-256, in base64url without padding' }),
      auth: z
        .string()
        .regex(/^[A-Za-z0-9_-]{22}$/)
        .meta({ description: '16 bytes, in base64url without padding' }),
    }),
  })
  .meta({ id: 'PushSubscription', description: 'what `PushSubscription.toJSON()` of a browser gives' });

/** The body of PUT /users/{userId}/channels/{by}. Which of the two is required follows from `by`. */
export const ChannelUpdate = z
  .object({
    address: text(1, 254).optional().meta({
      description:
        'for `email` an e-mail address; for `sms` a number in E.164, as +491701234567; for `telegram` the id of a chat',
    }),
    subscription: PushSubscription.optional().meta({ description: 'for `push`' }),
  })
  .meta({ id: 'ChannelUpdate', examples: [{ address: 'night@example.com' }] });

export const ChannelProof = z
  .object({ code: z.string().max(64).meta({ description: 'the six digits that were sent there' }) })
  .meta({ id: 'ChannelProof', examples: [{ code: '123456' }] });

export const ChannelKinds = z
  .object({
    kinds: z.array(By).meta({ description: 'by what this service can reach people' }),
    pushKey: z.string().meta({ description: 'the `applicationServerKey` with which browsers subscribe to pushes' }),
  })
  .meta({ id: 'ChannelKinds' });

export const DutyUpdate = z
  .object({ until: int64.meta({ description: 'ms; at most 24 hours ahead' }) })
  .meta({ id: 'DutyUpdate', examples: [{ until: 1_800_000_000_000 }] });

export const OnDutyView = z.object({ userId: id, name: z.string(), until: millis }).meta({ id: 'OnDuty' });
