import * as z from 'zod';
import { channelKinds } from '../people/channel.ts';
import { id, uuid } from '../values.ts';

/** By what a person is told. */
export const By = z.enum(channelKinds).meta({ description: 'By what a person is reached' });
export type By = z.output<typeof By>;

/** A recipient that is of two kinds at once would be told in one way alone, without a word about the other. */
const none = z.never().optional();

/** Whom a rule tells: a webhook of a bot, a user, or whoever is on duty then (completion 12 "People as recipients"). */
export const Recipient = z.union([
  z.object({ botId: id, webhookId: uuid, userId: none, onDuty: none, by: none }),
  z.object({ userId: id, by: By, botId: none, webhookId: none, onDuty: none }),
  z.object({ onDuty: z.literal(true), by: By, botId: none, webhookId: none, userId: none }),
]);
export type Recipient = z.output<typeof Recipient>;

/** The person that a delivery or a message of a hit is for, and the way. `name`: as it was then. */
export type Person = { userId: number; by: By; name: string };
/** A recipient that is a webhook. */
export type ToWebhook = { botId: number; webhookId: string };
