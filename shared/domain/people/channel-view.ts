import * as z from 'zod';
import { By } from '../rule/recipient.ts';
import { millis, text } from '../values.ts';
import type { KeptChannel } from './channel.ts';

/** A user's channel in API responses. */
export const ChannelView = z
  .object({
    by: By,
    address: z.string().optional().meta({
      description: 'for `push` the host that pushes are sent to; missing in the channels of other users',
    }),
    provenDate: millis.nullable().meta({
      description: 'when the user verified the channel with the code; null until then, and nothing else is sent to it',
    }),
    undeliverableDate: millis.nullable().meta({
      description:
        'when a message that was accepted turned out to be undeliverable: a bounced mail, an SMS that expired; null again ' +
        'once the user has verified the channel again or changed its address',
    }),
    undeliverableReason: z.string().nullable().meta({ description: 'why, in the words of the mail or SMS service' }),
  })
  .meta({ id: 'Channel' });
type ChannelView = z.output<typeof ChannelView>;

/** Returns a channel as seen by other users: only its owner may see the address. */
export const channelViewForOthers = (channel: KeptChannel): ChannelView => {
  const { by, provenDate, undeliverableDate = null, undeliverableReason = null } = channel;
  return { by, provenDate, undeliverableDate, undeliverableReason };
};
/** Returns a channel as seen by its owner. */
export const channelView = (channel: KeptChannel): ChannelView => ({
  ...channelViewForOthers(channel),
  address: channel.address,
});

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
  .meta({ id: 'PushSubscription', description: 'the result of `PushSubscription.toJSON()` in a browser' });

/** The body of PUT /users/{userId}/channels/{by}. `by` determines which of the two fields is required. */
export const ChannelUpdate = z
  .object({
    address: text(1, 254).optional().meta({
      description:
        'for `email` an email address; for `sms` a number in E.164, such as +491701234567; for `telegram` a chat id',
    }),
    subscription: PushSubscription.optional().meta({ description: 'for `push`' }),
  })
  .meta({ id: 'ChannelUpdate', examples: [{ address: 'night@example.com' }] });

export const ChannelVerification = z
  .object({ code: z.string().max(64).meta({ description: 'the six digits that were sent to the channel' }) })
  .meta({ id: 'ChannelProof', examples: [{ code: '123456' }] });

export const ChannelKinds = z
  .object({
    kinds: z.array(By).meta({ description: 'the channels that this service can send through' }),
    outbox: z.array(By).meta({
      description:
        'those whose messages are only files in `outbox` of the data folder (`npm start` with `OUTBOX`): they reach nobody',
    }),
    pushKey: z.string().meta({ description: 'the `applicationServerKey` that browsers subscribe with' }),
  })
  .meta({ id: 'ChannelKinds' });
