import * as z from 'zod';
import { Locale } from '../identity/locale.ts';
import { id, millis, storedText, text } from '../values.ts';

/** A bot is an account that owns webhooks and cannot log in. Deliveries to its webhooks are in the bot's locale. */
export const BotUpdate = z.object({ name: text(1, 64), locale: Locale.default('en') }).meta({
  id: 'BotUpdate',
  examples: [{ name: 'Nurse call, ward 2', locale: 'de' }],
});
export type BotUpdate = z.output<typeof BotUpdate>;
export const NewBot = BotUpdate.extend({ customerId: id.optional() }).meta({
  id: 'BotCreation',
  examples: [{ name: 'Nurse call, ward 2', locale: 'de' }],
});

export const Bot = BotUpdate.extend({
  name: storedText(1, 64),
  id,
  createDate: millis,
  updateDate: millis,
  customerId: id,
}).meta({ id: 'Bot' });
export type Bot = z.infer<typeof Bot>;
