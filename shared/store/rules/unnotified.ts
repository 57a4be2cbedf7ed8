import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import type { UrgentSituation } from '#shared/domain/rule/alarm.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes, GRACE_MS } from '../engine/due.ts';
import { absent, changes, type Write, where } from '../engine/request.ts';
import { lateChangeWrite } from '../hits/late-change.ts';
import { type NoticeItem, putNotice } from '../sensors/events.ts';
import { items } from '../table.ts';
import type { EscalatingHit } from './escalations.ts';

/**
 * An alarm that reached nobody in time, or that nobody acknowledged (`isUnanswered`): that of a hit, or (`hitId` null) that of an event. `alarmId` is the id of the hit or
 * the uuid of the event. `date`: when (ms) it counted as unnotified.
 */
export type UnnotifiedAlarm = {
  alarmId: string;
  customerId: number;
  sensorId: string;
  situation: UrgentSituation;
  eventUuid: string;
  hitId: number | null;
  ruleId: number | null;
  webhookIds: string[];
  createDate: number;
  date: number;
  /** Everything that follows at once has been done. */
  isHandled?: true;
  /** Who is mailing about it, until when (ms). Lapses if that process dies. */
  claim?: string;
  claimedUntil?: number;
  /** When (ms) those who can help were mailed first; then how often they were reminded, and when the last time. */
  mailDate?: number;
  reminders?: number;
  reminderDate?: number;
  /** Users who had too many mails, and get a list later. */
  deferredTo?: number[];
  /** Somebody was notified, but nobody acknowledged the alarm after the last round of its escalation. */
  isUnanswered?: true;
};

/** The notice that an alarm reached nobody, to be processed. */
type NoticeKey = { customerId: number; sensorId: string; uuid: string; receiveDate: number };
/** `ended`: somebody was notified or acknowledged the alarm meanwhile. `handled`: it was recorded and handled before. */
type RecordResult = { kind: 'recorded'; notice: NoticeKey } | { kind: 'handled' } | { kind: 'ended' };

const unnotifiedKey = ({ customerId, alarmId }: Pick<UnnotifiedAlarm, 'customerId' | 'alarmId'>) =>
  items.unnotified({ customerId, alarmId });

/** Reads of alarms that reached nobody. */
export const unnotifiedReads = (table: TableReader) => ({
  /**
   * Returns the alarms of a customer that nobody was notified of, or has acknowledged, oldest first. With `consistent` false they may be a few
   * seconds old, at half the price.
   */
  list: async (customerId: number, consistent = true): Promise<UnnotifiedAlarm[]> => {
    const found = await table.queryAll<UnnotifiedAlarm>({ pk: items.unnotified.pk({ customerId }), consistent });
    return found.toSorted((a, b) => a.createDate - b.createDate);
  },
});

/** Returns the notice of an alarm. A repetition after a crash returns the same one. */
const noticeOf = ({ customerId, sensorId, date, alarmId, isUnanswered }: UnnotifiedAlarm): NoticeKey => ({
  customerId,
  sensorId,
  uuid: uuidV5(sensorId, isUnanswered ? 'unanswered' : 'unnotified', alarmId, date),
  receiveDate: date,
});

/** The writes of an alarm, if it is new, and of its notice. */
const writesOf = (alarm: UnnotifiedAlarm): Write[] => {
  const { customerId, sensorId, uuid } = noticeOf(alarm);
  const item: NoticeItem = { notice: alarm.isUnanswered ? 'unanswered' : 'unnotified', receiveDate: alarm.date };
  const put = {
    ...alarm,
    ...unnotifiedKey(alarm),
    ...dueAt(alarm.alarmId, alarm.date + GRACE_MS),
    ttl: Math.ceil((alarm.createDate + EVENT_RETENTION) / 1_000),
  };
  return [{ put, where: absent }, putNotice({ customerId, sensorId }, uuid, item)];
};

const unnotifiedWrites = (table: Table) => ({
  /**
   * Records that an alarm reached nobody, with the notice of it and messages to add to its hit, unless the hit was notified
   * or acknowledged meanwhile. A repetition after a crash returns the same notice, until the alarm is handled.
   */
  record: async (alarm: UnnotifiedAlarm, messages: readonly RuleMessage[] = []): Promise<RecordResult> => {
    const { customerId, hitId } = alarm;
    const isOpen = where(
      'attribute_exists(pk) AND attribute_not_exists(#notifiedDate) AND attribute_not_exists(#acknowledgement)',
      messages.length > 0 ? { more: messages } : {},
    );
    const compute = messages.length > 0 ? { messages: 'list_append(#messages, :more)' } : {};
    const mark: Write[] =
      hitId === null
        ? []
        : [
            {
              update: items.ruleHit({ customerId, hitId }),
              changes: changes({ set: { isUnnotified: true }, compute, if: isOpen }),
            },
          ];
    if ((await table.write(...writesOf(alarm), ...mark)) === null) return { kind: 'recorded', notice: noticeOf(alarm) };
    const known = await table.get<UnnotifiedAlarm>(unnotifiedKey(alarm));
    if (!known) return { kind: 'ended' };
    return known.isHandled ? { kind: 'handled' } : { kind: 'recorded', notice: noticeOf(known) };
  },

  /**
   * Records that nobody acknowledged the alarm of a hit after its last round, with the notice of it and messages to add to the
   * hit. Null if the hit has changed since it was read. A repetition after a crash returns the same notice.
   */
  recordUnanswered: async (
    alarm: UnnotifiedAlarm,
    hit: EscalatingHit,
    messages: readonly RuleMessage[],
  ): Promise<NoticeKey | null> => {
    if (hit.unansweredDate !== undefined) return noticeOf(alarm);
    const { customerId, date } = alarm;
    const update = changes({
      set: { unansweredDate: date, updateDate: date, isLate: true },
      compute: { messages: 'list_append(#messages, :more)' },
      if: where('#escalation = :was AND #updateDate = :before AND attribute_not_exists(#acknowledgement)', {
        was: hit.escalation,
        before: hit.updateDate,
        more: messages,
      }),
    });
    const key = items.ruleHit({ customerId, hitId: hit.id });
    const note = lateChangeWrite(customerId, hit, date);
    return (await table.write(...writesOf(alarm), { update: key, changes: update }, note)) === null
      ? noticeOf(alarm)
      : null;
  },

  /** Records that everything that follows at once has been done. */
  finish: async (alarm: UnnotifiedAlarm): Promise<void> => {
    const exists = where('attribute_exists(pk)', {});
    await table.update(unnotifiedKey(alarm), changes({ set: { isHandled: true }, if: exists }));
  },

  /** Claims an alarm to mail about it until a time (ms). False if another process does, it was mailed, or has ended. */
  claim: async (alarm: UnnotifiedAlarm, claim: string, now: number, until: number): Promise<boolean> => {
    const isFree = where(
      'attribute_exists(pk) AND (attribute_not_exists(#claimedUntil) OR #claimedUntil <= :now)' +
        (alarm.mailDate === undefined ? ' AND attribute_not_exists(#mailDate)' : ' AND #mailDate = :mailDate'),
      { now, ...(alarm.mailDate !== undefined && { mailDate: alarm.mailDate }) },
    );
    const set = { claim, claimedUntil: until, ...dueAt(alarm.alarmId, until) };
    return (await table.update(unnotifiedKey(alarm), changes({ set, if: isFree }))) !== null;
  },

  /** Records what has been mailed about an alarm, and when (ms) something is due next; null if nothing is. */
  update: async (
    alarm: UnnotifiedAlarm,
    mails: Pick<UnnotifiedAlarm, 'mailDate' | 'reminders' | 'reminderDate' | 'deferredTo'>,
    next: number | null,
  ): Promise<void> => {
    const set = { ...mails, ...(next !== null && dueAt(alarm.alarmId, next)) };
    const remove = ['claim', 'claimedUntil', ...(next === null ? dueAttributes : [])];
    await table.update(unnotifiedKey(alarm), changes({ set, remove, if: where('attribute_exists(pk)', {}) }));
  },
});

export const unnotified = (table: Table) => ({ ...unnotifiedReads(table), ...unnotifiedWrites(table) });
