import * as z from 'zod';
import { channelKinds } from '../people/channel.ts';
import { id, uuid } from '../values.ts';

/** The channel used to notify a person. */
export const By = z.enum(channelKinds).meta({ description: 'The channel to notify the person through' });
export type By = z.output<typeof By>;

/** A recipient that mixes fields from two kinds is rejected, because only one would be notified. */
const none = z.never().optional();

/** A rule recipient: a bot webhook, a user, or the users on duty. */
export const Recipient = z
  .union([
    z.object({ botId: id, webhookId: uuid, userId: none, onDuty: none, by: none }).meta({ id: 'WebhookRecipient' }),
    z.object({ userId: id, by: By, botId: none, webhookId: none, onDuty: none }).meta({ id: 'UserRecipient' }),
    z
      .object({ onDuty: z.literal(true), by: By, botId: none, webhookId: none, userId: none })
      .meta({ id: 'OnDutyRecipient' }),
  ])
  .meta({ id: 'Recipient', description: 'A bot webhook, a user, or (`onDuty: true`) the users on duty' });
export type Recipient = z.output<typeof Recipient>;

/** The person who gets a delivery or a hit message, and the channel used. `name` is the name at that time. */
export type Person = { userId: number; by: By; name: string };
/** A webhook recipient. */
export type WebhookRecipient = { botId: number; webhookId: string };
