import { BASE_PATH } from '#shared/domain/base-path.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import { type Language, languageOf } from '#shared/domain/identity/language.ts';
import type { By } from '#shared/domain/rule/recipient.ts';
import { dateAndTime } from '#shared/domain/time/wall-time.ts';

/**
 * The email values: since `time` (ms), it has not been possible to notify anyone on duty through `channels`. `rules`:
 * the names of the affected rules.
 */
type DutyMail = {
  customer: string;
  timeZone: string;
  time: number;
  channels: readonly By[];
  rules: readonly string[];
  url: string;
};

const texts = {
  en: {
    channels: { email: 'email', sms: 'SMS', push: 'push', telegram: 'Telegram' },
    subject: (customer: string) => `Nobody on duty can be notified anymore: ${customer}`,
    since: (time: string, channels: string) => `Since ${time}, nobody on duty has been reachable by ${channels}.`,
    rules: 'These rules notify the people on duty of alarms:',
    todo: 'Somebody with a confirmed channel of this kind has to go on duty. Check the roster, or add another recipient to the rules.',
    more: (count: number) => `and ${count} more`,
    check: 'The Station page shows everything that is missing:',
  },
  de: {
    channels: { email: 'E-Mail', sms: 'SMS', push: 'Push', telegram: 'Telegram' },
    subject: (customer: string) => `Im Dienst ist niemand mehr erreichbar: ${customer}`,
    since: (time: string, channels: string) =>
      `Seit ${time} ist niemand im Dienst, der per ${channels} erreichbar ist.`,
    rules: 'Diese Regeln benachrichtigen bei Alarmen die Personen im Dienst:',
    todo: 'Jemand mit einem bestätigten Kanal dieser Art muss den Dienst beginnen. Prüfen Sie den Dienstplan, oder ergänzen Sie in den Regeln einen anderen Empfänger.',
    more: (count: number) => `und ${count} weitere`,
    check: 'Die Seite „Station“ zeigt alles, was fehlt:',
  },
} satisfies Record<Language, object>;

const MAX_RULES = 20;

/** Returns the localized email saying that no one on duty can be notified anymore. */
export const dutyMail = (locale: string, { customer, timeZone, time, channels, rules, url }: DutyMail) => {
  const text = texts[languageOf(locale)];
  const kinds = channels.map((by) => text.channels[by]).join(', ');
  const named = rules.slice(0, MAX_RULES).map((name) => `- ${asText(name)}`);
  const more = rules.length > MAX_RULES ? [`- ${text.more(rules.length - MAX_RULES)}`] : [];
  return {
    subject: text.subject(asText(customer)),
    text: [
      text.since(dateAndTime(time, timeZone), kinds),
      '',
      text.rules,
      '',
      ...named,
      ...more,
      '',
      text.todo,
      '',
      `${text.check} ${url}${BASE_PATH}/console/`,
    ].join('\n'),
  };
};
