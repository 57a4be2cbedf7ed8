import { BASE_PATH } from '../base-path.ts';
import { type Language, languageOf } from '../identity/language.ts';

/** An alarm as a mail names it. `time` is local, with its zone. */
export type MailedAlarm = { sensor: string; situation: string; time: string };
/** Why nobody was notified of an alarm. `receivers`: the recipients that could not be reached. */
export type UnnotifiedCause =
  | { kind: 'nobody_on_duty' }
  | { kind: 'no_recipient' }
  | { kind: 'failed'; receivers: string };
type MailValues = { customer: string; url: string };
type ListValues = MailValues & { alarms: readonly MailedAlarm[]; isReminder: boolean };
type Mail = { subject: string; text: string };
type Texts = {
  one: (alarm: MailedAlarm, cause: UnnotifiedCause, values: MailValues) => Mail;
  list: (values: ListValues) => Mail;
};

/** The maximum number of alarms that a list names. */
const MAX_NAMED = 50;

const linesOf = (alarms: readonly MailedAlarm[], more: (count: number) => string): string => {
  const lines = alarms.slice(0, MAX_NAMED).map(({ sensor, situation, time }) => `- ${sensor}: ${situation}, ${time}`);
  return [...lines, ...(alarms.length > MAX_NAMED ? [more(alarms.length - MAX_NAMED)] : [])].join('\n');
};
const consoleOf = (url: string): string => `${url}${BASE_PATH}/console/`;

const causesEn = (cause: UnnotifiedCause): string => {
  if (cause.kind === 'nobody_on_duty') return 'The rule notifies the users on duty, and nobody is on duty.';
  if (cause.kind === 'no_recipient') return 'No recipient is left that could be notified.';
  return `None of the recipients could be reached: ${cause.receivers}.`;
};
const causesDe = (cause: UnnotifiedCause): string => {
  if (cause.kind === 'nobody_on_duty')
    return 'Die Regel benachrichtigt die Benutzer im Dienst, und niemand ist im Dienst.';
  if (cause.kind === 'no_recipient') return 'Es gibt keinen Empfänger mehr, der benachrichtigt werden könnte.';
  return `Keiner der Empfänger war erreichbar: ${cause.receivers}.`;
};

const texts: Record<Language, Texts> = {
  en: {
    one: ({ sensor, situation, time }, cause, { customer, url }) => ({
      subject: `Nobody was notified: ${situation}, ${sensor}`,
      text: `${situation}: ${sensor}, ${customer}, ${time}\n\nNobody has been notified of this alarm, and nobody has acknowledged it. ${causesEn(cause)}\n\n1. Look after the room now, or send somebody.\n2. Acknowledge the alarm, so that others know.\n3. Then repair what kept the alarm from reaching anybody.\n\n${consoleOf(url)}`,
    }),
    list: ({ alarms, isReminder, customer, url }) => ({
      subject: `${isReminder ? 'Still open: ' : ''}${alarms.length} ${alarms.length === 1 ? 'alarm' : 'alarms'} that reached nobody, ${customer}`,
      text: `Nobody has been notified of these alarms, and nobody has acknowledged them:\n\n${linesOf(alarms, (count) => `- and ${count} more`)}\n\nLook after these rooms, acknowledge the alarms, and repair what kept them from reaching anybody.\n\n${consoleOf(url)}`,
    }),
  },
  de: {
    one: ({ sensor, situation, time }, cause, { customer, url }) => ({
      subject: `Niemand wurde benachrichtigt: ${situation}, ${sensor}`,
      text: `${situation}: ${sensor}, ${customer}, ${time}\n\nNiemand wurde über diesen Alarm benachrichtigt, und niemand hat ihn bestätigt. ${causesDe(cause)}\n\n1. Sehen Sie jetzt in dem Raum nach, oder schicken Sie jemanden.\n2. Bestätigen Sie den Alarm, damit andere es wissen.\n3. Beheben Sie danach, was die Benachrichtigung verhindert hat.\n\n${consoleOf(url)}`,
    }),
    list: ({ alarms, isReminder, customer, url }) => ({
      subject: `${isReminder ? 'Noch offen: ' : ''}${alarms.length} ${alarms.length === 1 ? 'Alarm' : 'Alarme'}, die niemanden erreicht haben, ${customer}`,
      text: `Niemand wurde über diese Alarme benachrichtigt, und niemand hat sie bestätigt:\n\n${linesOf(alarms, (count) => `- und ${count} weitere`)}\n\nSehen Sie in diesen Räumen nach, bestätigen Sie die Alarme, und beheben Sie, was die Benachrichtigung verhindert hat.\n\n${consoleOf(url)}`,
    }),
  },
};

/** Returns the email about an alarm that reached nobody, in the language of a locale. Names must be plain text. */
export const unnotifiedMail = (locale: string, alarm: MailedAlarm, cause: UnnotifiedCause, values: MailValues): Mail =>
  texts[languageOf(locale)].one(alarm, cause, values);

/** Returns the email that lists alarms that reached nobody. */
export const unnotifiedListMail = (locale: string, values: ListValues): Mail => texts[languageOf(locale)].list(values);
