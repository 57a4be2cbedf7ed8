import { BASE_PATH } from '#shared/domain/base-path.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import type { AuditEntry, AuditObject } from '#shared/domain/identity/audit.ts';
import { type Language, languageOf } from '#shared/domain/identity/language.ts';
import { dateAndTime } from '#shared/domain/time/wall-time.ts';
import type { Gap } from '#shared/domain/watch/gap.ts';
import type { Watch } from '#shared/domain/watch/watch.ts';
import { gaps as german } from './gaps-de.ts';
import { gaps as english } from './gaps-en.ts';

type Names = Watch['names'];
/** `changes` are audit log lines. */
type MailValues = {
  customer: string;
  timeZone: string;
  gaps: readonly Gap[];
  names: Names;
  changes: readonly Pick<AuditEntry, 'date' | 'actor' | 'operation' | 'object' | 'changes'>[];
  url: string;
};
type Verb = 'created' | 'changed' | 'deleted';

const texts = {
  en: {
    gaps: english,
    subject: (customer: string) => `Some falls are no longer reported: ${customer}`,
    intro: 'Since these changes, some falls are no longer reported to anybody:',
    missing: 'What is missing:',
    check: 'The Station page shows everything that is missing:',
    more: (count: number) => `and ${count} more`,
    days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
    verbs: { created: 'created', changed: 'changed', deleted: 'deleted' },
    objects: {
      rule: 'rule',
      webhook: 'webhook',
      bot: 'bot',
      sensor: 'sensor',
      sensor_group: 'sensor group',
      user: 'user',
      customer: 'customer',
    },
    somebody: 'somebody',
  },
  de: {
    gaps: german,
    subject: (customer: string) => `Nicht mehr alle Stürze werden gemeldet: ${customer}`,
    intro: 'Seit diesen Änderungen wird nicht mehr bei jedem Sturz jemand benachrichtigt:',
    missing: 'Was fehlt:',
    check: 'Die Seite „Station“ zeigt alles, was fehlt:',
    more: (count: number) => `und ${count} weitere`,
    days: ['Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa', 'So'],
    verbs: { created: 'erstellt', changed: 'geändert', deleted: 'gelöscht' },
    objects: {
      rule: 'Regel',
      webhook: 'Webhook',
      bot: 'Bot',
      sensor: 'Sensor',
      sensor_group: 'Sensorgruppe',
      user: 'Benutzer',
      customer: 'Kunde',
    },
    somebody: 'jemand',
  },
} satisfies Record<Language, object>;
type Texts = (typeof texts)[Language];

const verbOf = (operation: string): Verb => {
  if (/^(create|link|begin)/.test(operation)) return 'created';
  return /^(delete|end)/.test(operation) ? 'deleted' : 'changed';
};

/** Returns an audit log object with its name, or with the id if the name is unknown. */
const nameOf = ({ objects }: Texts, { kind, id }: AuditObject, names: Names): string => {
  const known: Partial<Record<AuditObject['kind'], Record<string, string>>> = {
    rule: names.rules,
    webhook: names.webhooks,
    sensor: names.sensors,
    user: names.users,
  };
  const noun = kind in objects ? objects[kind as keyof typeof objects] : kind;
  return `${noun} ${asText(known[kind]?.[id] ?? id)}`;
};

const MAX_NAMES = 20;
/** Returns the names of a gap's subjects. */
const subjectsOf = (text: Texts, gap: Gap, names: Names): string => {
  const subjects = [
    ...('sensorIds' in gap ? gap.sensorIds.map((id) => names.sensors[id] ?? id) : []),
    ...('ruleIds' in gap ? gap.ruleIds.map((id) => names.rules[id] ?? String(id)) : []),
    ...('webhookId' in gap && gap.webhookId !== null ? [names.webhooks[gap.webhookId] ?? gap.webhookId] : []),
    ...('userId' in gap && gap.userId !== null ? [names.users[gap.userId] ?? String(gap.userId)] : []),
  ].map(asText);
  const total = 'total' in gap ? gap.total : subjects.length;
  const named = subjects.slice(0, MAX_NAMES);
  const more = total > named.length ? [text.more(total - named.length)] : [];
  const hours =
    gap.kind === 'hours_without_rule'
      ? [`${gap.days.map((day) => text.days[day - 1]).join(', ')} ${gap.from}–${gap.to}`]
      : [];
  return [...hours, ...named, ...more].join(', ');
};

/** Returns the localized email about gaps opened by user changes. */
export const gapMail = (locale: string, { customer, timeZone, gaps, names, changes, url }: MailValues) => {
  const text = texts[languageOf(locale)];
  const changed = changes.map(({ date, actor, operation, object, changes: fields }) => {
    const who = asText(actor.name ?? text.somebody);
    const what = `${nameOf(text, object, names)} ${text.verbs[verbOf(operation)]}`;
    return `- ${dateAndTime(date, timeZone)}, ${who}: ${what}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`;
  });
  const missing = gaps.map((gap) => {
    const [what, todo] = text.gaps[gap.kind];
    const subjects = subjectsOf(text, gap, names);
    return `- ${what}${subjects === '' ? '' : ` ${subjects}.`} ${todo}`;
  });
  return {
    subject: text.subject(asText(customer)),
    text: [
      text.intro,
      '',
      ...changed,
      '',
      text.missing,
      '',
      ...missing,
      '',
      `${text.check} ${url}${BASE_PATH}/console/`,
    ].join('\n'),
  };
};
