import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { Table } from '../engine/client.ts';
import { dueAt, GRACE_MS } from '../engine/due.ts';
import { absent, changes, type Write, where } from '../engine/request.ts';
import { lateChangeWrite } from '../hits/late-change.ts';
import { type NoticeItem, putNotice } from '../sensors/events.ts';
import { items } from '../table.ts';
import type { EscalatingHit } from './escalations.ts';
import { checkUnanswered } from './fall-answer.ts';
import type { NoticeKey } from './fall-changes.ts';
import { type UnnotifiedAlarm, unnotifiedKey } from './unnotified-alarm.ts';

/**
 * `ended`: someone was notified or acknowledged the alarm before it was recorded. `handled`: it has already been
 * recorded and handled.
 */
type RecordResult = { kind: 'recorded'; notice: NoticeKey } | { kind: 'handled' } | { kind: 'ended' };

/** Returns the notice for an alarm. A repeated call after a crash returns the same notice. */
const noticeOf = ({ customerId, sensorId, date, alarmId, isUnanswered }: UnnotifiedAlarm): NoticeKey => ({
  customerId,
  sensorId,
  uuid: uuidV5(sensorId, isUnanswered ? 'unanswered' : 'unnotified', alarmId, date),
  receiveDate: date,
});

/** Returns the writes for an alarm, if it is new, and for the notice. */
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

/**
 * Requires the fall in an event to be unacknowledged, because an earlier acknowledgement would not end an alarm
 * recorded afterwards.
 */
const unacknowledged = ({ customerId, sensorId, fall }: UnnotifiedAlarm): Write[] =>
  fall === undefined ? [] : [checkUnanswered({ customerId, sensorId, fall })];

/**
 * Records that an alarm did not reach anyone, together with the notice and messages to add to the hit, unless someone
 * has been notified or has acknowledged the hit or the fall. A repeated call after a crash returns the same notice
 * until the alarm has been handled.
 */
export const recordUnnotified = async (
  table: Table,
  alarm: UnnotifiedAlarm,
  messages: readonly RuleMessage[] = [],
): Promise<RecordResult> => {
  const { customerId, hitId } = alarm;
  const isOpen = where(
    'attribute_exists(pk) AND attribute_not_exists(#notifiedDate) AND attribute_not_exists(#acknowledgement)',
    messages.length > 0 ? { more: messages } : {},
  );
  const compute = messages.length > 0 ? { messages: 'list_append(#messages, :more)' } : {};
  const mark: Write[] =
    hitId === null
      ? unacknowledged(alarm)
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
};

/**
 * Records that no one acknowledged a hit alarm after the last round, together with the notice and messages to add to
 * the hit. Returns null if the hit has changed since it was read. A repeated call after a crash returns the same
 * notice.
 */
export const recordUnanswered = async (
  table: Table,
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
};

/** Records that all immediate consequences of an alarm have been handled. */
export const finishUnnotified = async (table: Table, alarm: UnnotifiedAlarm): Promise<void> => {
  const exists = where('attribute_exists(pk)', {});
  await table.update(unnotifiedKey(alarm), changes({ set: { isHandled: true }, if: exists }));
};
