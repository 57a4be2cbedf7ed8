import * as z from 'zod';
import { By } from '../rule/recipient.ts';
import { millis, text } from '../values.ts';
import type { KeptChannel } from './channel.ts';

/** A user's channel in API responses. */
export const ChannelView = z
  .object({
    by: By,
    address: z.string().optional().meta({
      description: "for `push`, the host that push messages are sent to; missing in other users' channels",
    }),
    provenDate: millis.nullable().meta({
      description:
        'when the user verified the channel with the code; null until then; an unverified channel only gets codes',
    }),
    undeliverableDate: millis.nullable().meta({
      description:
        'when an accepted message turned out to be undeliverable, such as a bounced email or an expired SMS; null ' +
        'again once the user has verified the channel again or changed the address',
    }),
    undeliverableReason: z.string().nullable().meta({ description: 'why, as stated by the mail or SMS service' }),
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
      p256dh: point.meta({ description: 'a P-256 point, in base64url without padding' }),
      auth: z
        .string()
        .regex(/^[A-Za-z0-9_-]{22}$/)
        .meta({ description: '16 bytes, in base64url without padding' }),
    }),
  })
  .meta({ id: 'PushSubscription', description: 'the result of `PushSubscription.toJSON()` in a browser' });

/** The body of PUT /users/{userId}/channels/{by}. Which of the two fields is required depends on `by`. */
export const ChannelUpdate = z
  .object({
    address: text(1, 254).optional().meta({
      description:
        'for `email`, an email address; for `sms`, an E.164 number, such as +491701234567; for `telegram`, a chat id',
    }),
    subscription: PushSubscription.optional().meta({ description: 'for `push`' }),
  })
  .meta({ id: 'ChannelUpdate', examples: [{ address: 'night@example.com' }] });

export const ChannelVerification = z
  .object({ code: z.string().max(64).meta({ description: 'the six digits sent to the channel' }) })
  .meta({ id: 'ChannelProof', examples: [{ code: '123456' }] });

export const ChannelKinds = z
  .object({
    kinds: z.array(By).meta({ description: 'the channels this service can send through' }),
    outbox: z.array(By).meta({
      description:
        "channels whose messages are only written to files in the data folder's `outbox` (`npm start` with " +
        '`OUTBOX`), and reach nobody',
    }),
    pushKey: z.string().meta({ description: 'the `applicationServerKey` for browser subscriptions' }),
  })
  .meta({ id: 'ChannelKinds' });
