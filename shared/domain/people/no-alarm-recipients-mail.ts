import { type Language, languageOf } from '../identity/language.ts';

/** `runbook` is the runbook URL or path. */
type MailValues = { service: string; url: string; runbook: string };
type Texts = (values: MailValues) => { subject: string; text: string };

const texts: Record<Language, Texts> = {
  en: ({ service, url, runbook }) => ({
    subject: `Nobody receives alarms: ${service}`,
    text: `Nobody has confirmed a subscription to the alarms of ${service} (${url}). If fall alerts are late or missing, nobody will know. Ask the operator of the service to follow the link in the email "AWS Notification - Subscription Confirmation", or to subscribe again: ${runbook}#alarms-unheard. You will receive this email daily until a subscription is confirmed.`,
  }),
  de: ({ service, url, runbook }) => ({
    subject: `Niemand erhält Alarme: ${service}`,
    text: `Niemand hat ein Abonnement der Alarme von ${service} (${url}) bestätigt. Werden Stürze zu spät oder gar nicht gemeldet, bemerkt es niemand. Bitten Sie den Betreiber, dem Link in der E-Mail „AWS Notification - Subscription Confirmation“ zu folgen oder die Alarme neu zu abonnieren: ${runbook}#alarms-unheard. Sie erhalten diese E-Mail täglich, bis ein Abonnement bestätigt ist.`,
  }),
};

/** Returns the email warning that no one receives alarms, in the language for a locale. */
export const noAlarmRecipientsMail = (locale: string, values: MailValues) => texts[languageOf(locale)](values);
