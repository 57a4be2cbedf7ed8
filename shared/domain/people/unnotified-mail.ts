import { BASE_PATH } from '../base-path.ts';
import { type Language, languageOf } from '../identity/language.ts';

/**
 * An alarm as named in an email. `time` is local time with the time zone. `isUnanswered`: people were notified, but did
 * not respond.
 */
export type MailedAlarm = { sensor: string; situation: string; time: string; isUnanswered: boolean };
/**
 * Why no one was notified of an alarm, or why no one responded. `receivers`: the recipients that could not be reached.
 */
export type UnnotifiedCause =
  | { kind: 'unanswered' }
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

/** The maximum number of alarms named in a list. */
const MAX_NAMED = 50;

type ListWords = { unanswered: string; more: (count: number) => string };
const linesOf = (alarms: readonly MailedAlarm[], { unanswered, more }: ListWords): string => {
  const lines = alarms
    .slice(0, MAX_NAMED)
    .map(
      ({ sensor, situation, time, isUnanswered }) =>
        `- ${sensor}: ${situation}, ${time}${isUnanswered ? ` (${unanswered})` : ''}`,
    );
  return [...lines, ...(alarms.length > MAX_NAMED ? [more(alarms.length - MAX_NAMED)] : [])].join('\n');
};
const consoleOf = (url: string): string => `${url}${BASE_PATH}/console/`;

/**
 * The parts of an email that depend on the cause: the subject, what happened, and what to do after checking the room.
 */
type CauseText = { subject: string; cause: string; repair: string };

const unnotifiedEn = (cause: string): CauseText => ({
  subject: 'Nobody was notified',
  cause: `Nobody has been notified of this alarm, and nobody has acknowledged it. ${cause}`,
  repair: 'Then fix what kept the alarm from reaching anybody.',
});
const causesEn = (cause: UnnotifiedCause): CauseText => {
  if (cause.kind === 'unanswered')
    return {
      subject: 'Nobody has responded',
      cause: 'All steps and repeats of the rule were sent, but nobody has acknowledged the alarm.',
      repair: 'Then find out why nobody responded.',
    };
  if (cause.kind === 'nobody_on_duty')
    return unnotifiedEn('The rule notifies the users on duty, but nobody on duty can be notified.');
  if (cause.kind === 'no_recipient') return unnotifiedEn('There is no recipient left to notify.');
  return unnotifiedEn(`None of the recipients could be reached: ${cause.receivers}.`);
};
const unnotifiedDe = (cause: string): CauseText => ({
  subject: 'Niemand wurde benachrichtigt',
  cause: `Niemand wurde über diesen Alarm benachrichtigt, und niemand hat ihn übernommen. ${cause}`,
  repair: 'Beheben Sie danach, was die Benachrichtigung verhindert hat.',
});
const causesDe = (cause: UnnotifiedCause): CauseText => {
  if (cause.kind === 'unanswered')
    return {
      subject: 'Niemand hat reagiert',
      cause: 'Alle Stufen und Wiederholungen der Regel wurden gesendet, aber niemand hat den Alarm übernommen.',
      repair: 'Klären Sie danach, warum niemand reagiert hat.',
    };
  if (cause.kind === 'nobody_on_duty')
    return unnotifiedDe('Die Regel benachrichtigt die Benutzer im Dienst, aber niemand im Dienst ist erreichbar.');
  if (cause.kind === 'no_recipient')
    return unnotifiedDe('Es gibt keinen Empfänger mehr, der benachrichtigt werden könnte.');
  return unnotifiedDe(`Keiner der Empfänger war erreichbar: ${cause.receivers}.`);
};

const listWordsEn: ListWords = { unanswered: 'people were notified', more: (count) => `- and ${count} more` };
const listWordsDe: ListWords = {
  unanswered: 'Personen wurden benachrichtigt',
  more: (count) => `- und ${count} weitere`,
};

const texts: Record<Language, Texts> = {
  en: {
    one: ({ sensor, situation, time }, reason, { customer, url }) => {
      const { subject, cause, repair } = causesEn(reason);
      return {
        subject: `${subject}: ${situation}, ${sensor}`,
        text: `${situation}: ${sensor}, ${customer}, ${time}\n\n${cause}\n\n1. Check the room now, or send somebody.\n2. Acknowledge the alarm, so that others know.\n3. ${repair}\n\n${consoleOf(url)}`,
      };
    },
    list: ({ alarms, isReminder, customer, url }) => ({
      subject: `${isReminder ? 'Still open: ' : ''}${alarms.length} ${alarms.length === 1 ? 'alarm' : 'alarms'} without a response, ${customer}`,
      text: `Nobody has acknowledged these alarms. Unless noted otherwise, nobody has been notified of them either:\n\n${linesOf(alarms, listWordsEn)}\n\nCheck these rooms, acknowledge the alarms, and fix what kept them from reaching anybody.\n\n${consoleOf(url)}`,
    }),
  },
  de: {
    one: ({ sensor, situation, time }, reason, { customer, url }) => {
      const { subject, cause, repair } = causesDe(reason);
      return {
        subject: `${subject}: ${situation}, ${sensor}`,
        text: `${situation}: ${sensor}, ${customer}, ${time}\n\n${cause}\n\n1. Sehen Sie jetzt in dem Raum nach, oder schicken Sie jemanden.\n2. Übernehmen Sie den Alarm, damit andere es wissen.\n3. ${repair}\n\n${consoleOf(url)}`,
      };
    },
    list: ({ alarms, isReminder, customer, url }) => ({
      subject: `${isReminder ? 'Noch offen: ' : ''}${alarms.length} ${alarms.length === 1 ? 'Alarm' : 'Alarme'} ohne Reaktion, ${customer}`,
      text: `Niemand hat diese Alarme übernommen. Wo nichts anderes steht, wurde auch niemand über sie benachrichtigt:\n\n${linesOf(alarms, listWordsDe)}\n\nSehen Sie in diesen Räumen nach, übernehmen Sie die Alarme, und beheben Sie, was die Benachrichtigung verhindert hat.\n\n${consoleOf(url)}`,
    }),
  },
};

/** Returns the email about an alarm that reached no one, in the language for a locale. Names must be plain text. */
export const unnotifiedMail = (locale: string, alarm: MailedAlarm, cause: UnnotifiedCause, values: MailValues): Mail =>
  texts[languageOf(locale)].one(alarm, cause, values);

/** Returns the email listing alarms that reached no one. */
export const unnotifiedListMail = (locale: string, values: ListValues): Mail => texts[languageOf(locale)].list(values);
