import { type Language, languageOf } from '../identity/locale.ts';

/** `runbook`: its address or path. */
type Values = { service: string; url: string; runbook: string };
type Texts = (values: Values) => { subject: string; text: string };

const texts: Record<Language, Texts> = {
  en: ({ service, url, runbook }) => ({
    subject: `Nobody is told of alarms: ${service}`,
    text: `Nobody has confirmed to be told of the alarms of ${service} (${url}). If falls are told late, or not at all, nobody learns of it. Have whoever operates it follow the link in the mail "AWS Notification - Subscription Confirmation", or subscribe anew: ${runbook}#alarms-unheard. This mail is repeated until then.`,
  }),
  de: ({ service, url, runbook }) => ({
    subject: `Niemand erfährt von Alarmen: ${service}`,
    text: `Niemand hat bestätigt, dass er von den Alarmen von ${service} (${url}) erfahren will. Werden Stürze zu spät oder gar nicht gemeldet, erfährt es niemand. Bitten Sie, wer den Dienst betreibt, dem Link in der Mail „AWS Notification - Subscription Confirmation“ zu folgen oder neu zu abonnieren: ${runbook}#alarms-unheard. Bis dahin kommt diese Mail immer wieder.`,
  }),
};

/** Gives the mail that nobody is told of alarms, in a language. */
export const alarmMail = (locale: string, values: Values) => texts[languageOf(locale)](values);
