import { type Language, languageOf } from './locale.ts';

/** What the managers of webhooks are told by mail. */
export type Concern = 'webhook_disabled' | 'delivery_failed';
type Values = { webhook: string; sensor: string; url: string };
type Texts = Record<Concern, (values: Values) => { subject: string; text: string }>;

const texts: Record<Language, Texts> = {
  en: {
    webhook_disabled: ({ webhook, url }) => ({
      subject: `The webhook "${webhook}" was switched off`,
      text: `The receiver of the webhook "${webhook}" is gone or has failed for days, so it was switched off. It is told of nothing until somebody switches it on again; what it misses is held for 14 days, and sent then.\n\n${url}/api/v1/console/webhooks`,
    }),
    delivery_failed: ({ webhook, sensor, url }) => ({
      subject: `A fall was not told: ${sensor}`,
      text: `The webhook "${webhook}" could not be told of a fall (${sensor}): no attempt succeeded. Look after the person if nobody did, and then after the receiver.\n\n${url}/api/v1/console/deliveries`,
    }),
  },
  de: {
    webhook_disabled: ({ webhook, url }) => ({
      subject: `Der Webhook „${webhook}“ wurde abgeschaltet`,
      text: `Der Empfänger des Webhooks „${webhook}“ ist weg oder hat tagelang nicht geantwortet; darum wurde er abgeschaltet. Er erfährt nichts, bis ihn jemand wieder einschaltet; was er versäumt, wird 14 Tage aufgehoben und dann gesendet.\n\n${url}/api/v1/console/webhooks`,
    }),
    delivery_failed: ({ webhook, sensor, url }) => ({
      subject: `Ein Sturz wurde nicht gemeldet: ${sensor}`,
      text: `Dem Webhook „${webhook}“ konnte ein Sturz nicht gemeldet werden (${sensor}): Kein Versuch gelang. Sehen Sie nach der Person, wenn das noch niemand tat, und dann nach dem Empfänger.\n\n${url}/api/v1/console/deliveries`,
    }),
  },
};

/** Gives the mail about a webhook in a language. */
export const concernMail = (locale: string, concern: Concern, values: Values) =>
  texts[languageOf(locale)][concern](values);
