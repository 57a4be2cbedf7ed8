import { latestAhead } from '#shared/domain/state/clock.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { changes, where } from '../engine/request.ts';
import { items } from '../table.ts';
import { type UnnotifiedAlarm, unnotifiedKey } from './unnotified-alarm.ts';

/** Reads alarms that did not reach anyone. */
export const unnotifiedReads = (table: TableReader) => ({
  /**
   * Returns a customer's alarms that no one was notified of or that no one acknowledged, oldest first. If `consistent`
   * is false, they may be a few seconds old, but cost half as much.
   */
  list: async (customerId: number, consistent = true): Promise<UnnotifiedAlarm[]> => {
    const found = await table.queryAll<UnnotifiedAlarm>({ pk: items.unnotified.pk({ customerId }), consistent });
    return found.toSorted((a, b) => a.createDate - b.createDate);
  },
});

const unnotifiedWrites = (table: Table) => ({
  /**
   * Claims an alarm until the given time (ms), to send emails about it. Returns false if another process has claimed
   * it, emails were sent since it was read, or it has ended. A claim that lasts longer was made before the clock was
   * set back.
   */
  claim: async (alarm: UnnotifiedAlarm, claim: string, now: number, until: number): Promise<boolean> => {
    const isFree = where(
      'attribute_exists(pk) AND (attribute_not_exists(#claimedUntil) OR #claimedUntil <= :now OR #claimedUntil > :latest)' +
        (alarm.mailDate === undefined ? ' AND attribute_not_exists(#mailDate)' : ' AND #mailDate = :mailDate') +
        // Another process may have sent a reminder since the alarm was read.
        (alarm.reminderDate === undefined
          ? ' AND attribute_not_exists(#reminderDate)'
          : ' AND #reminderDate = :reminderDate'),
      {
        now,
        latest: latestAhead(until, 0),
        ...(alarm.mailDate !== undefined && { mailDate: alarm.mailDate }),
        ...(alarm.reminderDate !== undefined && { reminderDate: alarm.reminderDate }),
      },
    );
    const set = { claim, claimedUntil: until, ...dueAt(alarm.alarmId, until) };
    return (await table.update(unnotifiedKey(alarm), changes({ set, if: isFree }))) !== null;
  },

  /** Records when (ms) an alarm was reported to the service operators. */
  recordReport: async (alarm: UnnotifiedAlarm, reportDate: number): Promise<void> => {
    const exists = where('attribute_exists(pk)', {});
    await table.update(unnotifiedKey(alarm), changes({ set: { reportDate }, if: exists }));
  },

  /** Records which emails were sent about an alarm, and when (ms) something is due next; null if nothing is. */
  update: async (
    alarm: UnnotifiedAlarm,
    mails: Pick<UnnotifiedAlarm, 'mailDate' | 'reminders' | 'reminderDate' | 'deferredTo' | 'refusedTo'>,
    next: number | null,
  ): Promise<void> => {
    const set = { ...mails, ...(next !== null && dueAt(alarm.alarmId, next)) };
    const remove = ['claim', 'claimedUntil', ...(next === null ? dueAttributes : [])];
    await table.update(unnotifiedKey(alarm), changes({ set, remove, if: where('attribute_exists(pk)', {}) }));
  },
});

export const unnotified = (table: Table) => ({ ...unnotifiedReads(table), ...unnotifiedWrites(table) });
