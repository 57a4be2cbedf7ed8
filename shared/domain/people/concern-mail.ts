import { BASE_PATH } from '../base-path.ts';
import { HELD_FOR } from '../delivery/delivery.ts';
import { FEED_KEPT, SILENT_AFTER } from '../delivery/feed.ts';
import { type Language, languageOf } from '../identity/locale.ts';
import type { By } from '../rule/recipient.ts';

/** What the managers of webhooks are told by mail, and those of rules that name a person. */
export type WebhookConcern = 'webhook_disabled' | 'delivery_failed';
export type Concern = WebhookConcern | 'person_not_told' | 'feed_not_fetched';
/** `by`: how the person was to be told. */
type Values = { receiver: string; by: By | null; sensor: string; url: string };
type Texts = Record<Concern, (values: Values) => { subject: string; text: string }>;

const ways: Record<Language, Record<By, string>> = {
  en: { email: 'e-mail', sms: 'SMS', push: 'push message', telegram: 'Telegram' },
  de: { email: 'E-Mail', sms: 'SMS', push: 'Push-Nachricht', telegram: 'Telegram' },
};

const DAY = 86_400_000;
const heldDays = HELD_FOR / DAY;
const waitDays = FEED_KEPT / DAY;
const silentMinutes = SILENT_AFTER / 60_000;

const texts: Record<Language, Texts> = {
  en: {
    webhook_disabled: ({ receiver: webhook, url }) => ({
      subject: `The webhook "${webhook}" was switched off`,
      text: `The receiver of the webhook "${webhook}" is gone or has failed for days, so it was switched off. It is told of nothing until somebody switches it on again; what it misses is held for ${heldDays} days, and sent then.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    feed_not_fetched: ({ receiver: webhook, url }) => ({
      subject: `Nobody fetches from the webhook "${webhook}"`,
      text: `For ${silentMinutes} minutes nobody has fetched what the webhook "${webhook}" has to tell, so nobody is told of falls by it. Look after the system that fetches; what it misses waits for ${waitDays} days.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    delivery_failed: ({ receiver: webhook, sensor, url }) => ({
      subject: `A fall was not told: ${sensor}`,
      text: `The webhook "${webhook}" could not be told of a fall (${sensor}): no attempt succeeded. Look after the person if nobody did, and then after the receiver.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
    person_not_told: ({ receiver, by, sensor, url }) => ({
      subject: `A fall was not told: ${sensor}`,
      text: `${receiver || 'A user'} could not be told of a fall (${sensor}) by ${by && ways.en[by]}: no attempt succeeded. Look after the person if nobody did, and then whether the channel is proven.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
  },
  de: {
    webhook_disabled: ({ receiver: webhook, url }) => ({
      subject: `Der Webhook „${webhook}“ wurde abgeschaltet`,
      text: `Der Empfänger des Webhooks „${webhook}“ ist weg oder hat tagelang nicht geantwortet; darum wurde er abgeschaltet. Er erfährt nichts, bis ihn jemand wieder einschaltet; was er versäumt, wird ${heldDays} Tage aufgehoben und dann gesendet.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    feed_not_fetched: ({ receiver: webhook, url }) => ({
      subject: `Niemand holt ab, was der Webhook „${webhook}“ zu melden hat`,
      text: `Seit ${silentMinutes} Minuten hat niemand abgeholt, was der Webhook „${webhook}“ zu melden hat; so erfährt dadurch niemand von Stürzen. Sehen Sie nach dem System, das es abholt; was es versäumt, wartet ${waitDays} Tage.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    delivery_failed: ({ receiver: webhook, sensor, url }) => ({
      subject: `Ein Sturz wurde nicht gemeldet: ${sensor}`,
      text: `Dem Webhook „${webhook}“ konnte ein Sturz nicht gemeldet werden (${sensor}): Kein Versuch gelang. Sehen Sie nach der Person, wenn das noch niemand tat, und dann nach dem Empfänger.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
    person_not_told: ({ receiver, by, sensor, url }) => ({
      subject: `Ein Sturz wurde nicht gemeldet: ${sensor}`,
      text: `${receiver || 'Ein Benutzer'} konnte nicht per ${by && ways.de[by]} von einem Sturz erfahren (${sensor}): Kein Versuch gelang. Sehen Sie nach der Person, wenn das noch niemand tat, und dann, ob der Kanal bestätigt ist.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
  },
};

/** Gives the mail about a webhook in a language. */
export const concernMail = (locale: string, concern: Concern, values: Values) =>
  texts[languageOf(locale)][concern](values);
