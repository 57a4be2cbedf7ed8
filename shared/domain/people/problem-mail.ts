import { BASE_PATH } from '../base-path.ts';
import { MAX_HOLD } from '../delivery/delivery.ts';
import { FEED_RETENTION, UNFETCHED_ALERT_AFTER } from '../delivery/feed.ts';
import { type Language, languageOf } from '../identity/language.ts';
import type { By } from '../rule/recipient.ts';

/** Webhook and delivery problems emailed to the users who can fix them. */
export type WebhookProblem = 'webhook_disabled' | 'delivery_failed';
export type DeliveryProblem = WebhookProblem | 'person_not_told' | 'feed_not_fetched' | 'sms_nearly_used';
/** `by` is the channel that failed to reach the person. */
type MailValues = { receiver: string; by: By | null; sensor: string; url: string; smsPerDay: number };
type Texts = Record<DeliveryProblem, (values: MailValues) => { subject: string; text: string }>;

const channelNames: Record<Language, Record<By, string>> = {
  en: { email: 'email', sms: 'SMS', push: 'push notification', telegram: 'Telegram' },
  de: { email: 'E-Mail', sms: 'SMS', push: 'Push-Mitteilung', telegram: 'Telegram' },
};

const DAY = 86_400_000;
const heldDays = MAX_HOLD / DAY;
const fetchDays = FEED_RETENTION / DAY;
const unfetchedMinutes = UNFETCHED_ALERT_AFTER / 60_000;

const texts: Record<Language, Texts> = {
  en: {
    webhook_disabled: ({ receiver: webhook, url }) => ({
      subject: `Webhook disabled: ${webhook}`,
      text: `The receiver of the webhook "${webhook}" no longer exists or has been failing for days, so the webhook was disabled. Deliveries are held for ${heldDays} days, and sent once somebody enables the webhook again.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    feed_not_fetched: ({ receiver: webhook, url }) => ({
      subject: `Feed not fetched: ${webhook}`,
      text: `Nobody has fetched the feed of the webhook "${webhook}" for ${unfetchedMinutes} minutes, so it reports no falls. Check the system that fetches it. Deliveries stay in the feed for ${fetchDays} days.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    delivery_failed: ({ receiver: webhook, sensor, url }) => ({
      subject: `Fall alert not delivered: ${sensor}`,
      text: `A fall alert (${sensor}) could not be delivered to the webhook "${webhook}": all attempts failed. Check on the person if nobody has yet, then check the receiver.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
    person_not_told: ({ receiver, by, sensor, url }) => ({
      subject: `Fall alert not delivered: ${sensor}`,
      text: `A fall alert (${sensor}) could not be delivered to ${receiver || 'a user'} by ${by && channelNames.en[by]}: all attempts failed. Check on the person if nobody has yet, then check whether the channel is verified.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
    sms_nearly_used: ({ smsPerDay, url }) => ({
      subject: '80% of the daily SMS quota is used',
      text: `80% of the ${smsPerDay} SMS that can be sent in 24 hours have been used. The rest is reserved for falls and vital alarms; once it is used too, nobody is notified by SMS until the 24 hours are over. Find out which rule sends the most, and lengthen its pause or choose another channel. If the alarms are real, ask the operator of the service to raise the quota.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
  },
  de: {
    webhook_disabled: ({ receiver: webhook, url }) => ({
      subject: `Webhook deaktiviert: ${webhook}`,
      text: `Der Empfänger des Webhooks „${webhook}“ existiert nicht mehr oder ist seit Tagen gestört; deshalb wurde der Webhook deaktiviert. Zustellungen werden ${heldDays} Tage lang aufbewahrt und gesendet, sobald jemand den Webhook wieder aktiviert.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    feed_not_fetched: ({ receiver: webhook, url }) => ({
      subject: `Feed wird nicht abgerufen: ${webhook}`,
      text: `Seit ${unfetchedMinutes} Minuten hat niemand den Feed des Webhooks „${webhook}“ abgerufen; er meldet deshalb keine Stürze. Prüfen Sie das System, das ihn abruft. Zustellungen bleiben ${fetchDays} Tage lang im Feed.\n\n${url}${BASE_PATH}/console/webhooks`,
    }),
    delivery_failed: ({ receiver: webhook, sensor, url }) => ({
      subject: `Sturzmeldung nicht zugestellt: ${sensor}`,
      text: `Eine Sturzmeldung (${sensor}) konnte dem Webhook „${webhook}“ nicht zugestellt werden: Alle Versuche sind fehlgeschlagen. Sehen Sie nach der Person, falls es noch niemand getan hat, und prüfen Sie dann den Empfänger.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
    person_not_told: ({ receiver, by, sensor, url }) => ({
      subject: `Sturzmeldung nicht zugestellt: ${sensor}`,
      text: `Eine Sturzmeldung (${sensor}) konnte ${receiver || 'einem Benutzer'} nicht per ${by && channelNames.de[by]} zugestellt werden: Alle Versuche sind fehlgeschlagen. Sehen Sie nach der Person, falls es noch niemand getan hat, und prüfen Sie dann, ob der Kanal bestätigt ist.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
    sms_nearly_used: ({ smsPerDay, url }) => ({
      subject: '80 % des SMS-Tageskontingents sind verbraucht',
      text: `80 % der ${smsPerDay} SMS, die in 24 Stunden gesendet werden können, sind verbraucht. Der Rest ist für Stürze und Vitalalarme reserviert; ist auch er verbraucht, wird niemand mehr per SMS benachrichtigt, bis die 24 Stunden vorbei sind. Finden Sie heraus, welche Regel die meisten SMS sendet, und verlängern Sie ihre Pause oder wählen Sie einen anderen Kanal. Sind die Alarme echt, bitten Sie den Betreiber des Dienstes, das Kontingent zu erhöhen.\n\n${url}${BASE_PATH}/console/deliveries`,
    }),
  },
};

/** Returns the email about a problem, in the language for a locale. */
export const problemMail = (locale: string, concern: DeliveryProblem, values: MailValues) =>
  texts[languageOf(locale)][concern](values);
