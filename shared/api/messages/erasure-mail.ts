import { BASE_PATH } from '#shared/domain/base-path.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import { type Language, languageOf } from '#shared/domain/identity/language.ts';
import { dateAndTime } from '#shared/domain/time/wall-time.ts';

/**
 * `requester`: the user's name; `others`: the names of the users who can cancel the erasure, besides the requester and
 * the system admins; `begins`: when (ms) the erasure begins at the earliest.
 */
type ErasureRequest = {
  customer: { id: number; name: string; timeZone: string };
  requester: string;
  others: readonly string[];
  reason: string;
  begins: number;
  url: string;
};

const texts = {
  en: {
    subject: (customer: string) => `Erasure of ${customer} requested`,
    what: (requester: string, customer: string) =>
      `${requester} has requested the erasure of ${customer}: all users, sensors, rules, events and alarms. Nobody would be notified of falls anymore.`,
    reason: (reason: string) => `Reason: ${reason}`,
    when: (begins: string) =>
      `The erasure begins on ${begins} at the earliest, and only if a system admin or another user who manages the customer approves it.`,
    todo: (others: string) =>
      `If this is a mistake and you have no login, ask ${others ? `${others} or ` : ''}a system admin. If you have one, cancel the erasure here before then:`,
  },
  de: {
    subject: (customer: string) => `Löschung von ${customer} beantragt`,
    what: (requester: string, customer: string) =>
      `${requester} hat beantragt, ${customer} zu löschen: alle Benutzer, Sensoren, Regeln, Ereignisse und Alarme. Bei Stürzen würde niemand mehr benachrichtigt.`,
    reason: (reason: string) => `Grund: ${reason}`,
    when: (begins: string) =>
      `Die Löschung beginnt frühestens am ${begins}, und nur, wenn ein Systemverwalter oder ein anderer Benutzer, der den Kunden verwaltet, ihr zustimmt.`,
    todo: (others: string) =>
      `Wenn das ein Irrtum ist und Sie sich nicht anmelden können, wenden Sie sich an ${others ? `${others} oder ` : ''}einen Systemverwalter. Andernfalls brechen Sie die Löschung vorher hier ab:`,
  },
} satisfies Record<Language, object>;

/** The maximum number of names in an email. */
const MAX_NAMES = 20;

/** Returns the localized email about a requested customer erasure. */
export const erasureMail = (locale: string, { customer, requester, others, reason, begins, url }: ErasureRequest) => {
  const text = texts[languageOf(locale)];
  const name = asText(customer.name);
  return {
    subject: text.subject(name),
    text: [
      text.what(asText(requester), name),
      '',
      text.reason(asText(reason)),
      '',
      text.when(dateAndTime(begins, customer.timeZone)),
      '',
      `${text.todo(others.slice(0, MAX_NAMES).map(asText).join(', '))} ${url}${BASE_PATH}/console/personal-data?kind=customer&customer=${customer.id}`,
    ].join('\n'),
  };
};
