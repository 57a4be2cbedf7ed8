import { notifiedDateOf } from '#shared/domain/rule/alarm.ts';
import type { Table } from '../engine/client.ts';
import { type Changes, changes, where } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { endUnnotified } from '../rules/end-unnotified.ts';
import { items } from '../table.ts';
import { type HitItem, hitOf, type StoredHit } from './hit-item.ts';
import { lateChangeWrite, SOON_MS } from './late-change.ts';

/**
 * A report on message number `at` in a hit. `tries`: when (ms) each attempt to send it started. `sent`: the last
 * attempt succeeded, or (`outbox`) wrote a file, which does not reach anyone.
 */
type AttemptReport = {
  customerId: number;
  hitId: number;
  at: number;
  tries: readonly number[];
  sent: boolean | 'outbox';
};

const hitKey = ({ customerId, hitId }: AttemptReport) => items.ruleHit({ customerId, hitId });

/**
 * Returns the conditional change for a report at the given time (ms). It fails if the same report was made before, as
 * happens after a crash.
 */
const changesOf = ({ at, tries, sent }: AttemptReport, time: number, isLate: boolean, condition: string): Changes => {
  const message = `messages[${at}]`;
  const set = [
    `${message}.sendTryTimes = list_append(${message}.sendTryTimes, :tries)`,
    `${message}.updateDate = :time`,
    'updateDate = :time',
    ...(sent ? [`${message}.wasSend = :sent`] : []),
    ...(sent === true ? ['notifiedDate = if_not_exists(notifiedDate, :time)'] : []),
    ...(sent === 'outbox' ? [`${message}.outbox = :sent`] : []),
    ...(isLate ? ['isLate = :late'] : []),
  ];
  return {
    UpdateExpression: `SET ${set.join(', ')}${isLate && sent === true ? ' REMOVE isUnnotified' : ''}`,
    ConditionExpression: `NOT contains(${message}.sendTryTimes, :first) AND ${condition}`,
    ExpressionAttributeValues: {
      ':tries': tries,
      ':first': tries[0],
      ':time': time,
      ...(sent && { ':sent': true }),
      ...(isLate && { ':late': true }),
    },
  };
};

/** Adds a report soon after the hit was created. Returns false if the hit is older, or already has this report. */
const reportSoon = async (table: Table, report: AttemptReport, now: number): Promise<boolean> => {
  // A decision that is applied again may contain a recipient missing from the hit.
  const hasMessage = `attribute_exists(messages[${report.at}].sendTryTimes)`;
  const isSoon = 'attribute_not_exists(isLate) AND createDate BETWEEN :soon AND :time';
  const { ExpressionAttributeValues, ...change } = changesOf(report, now, false, `${hasMessage} AND ${isSoon}`);
  const values = { ...ExpressionAttributeValues, ':soon': now - SOON_MS };
  return (await table.update(hitKey(report), { ...change, ExpressionAttributeValues: values })) !== null;
};

/**
 * Adds a report on a message not stored in the hit, such as one to an emergency contact. The report only shows whether
 * a person was notified.
 */
const reportWithoutMessage = async (
  table: Table,
  { customerId, hitId, sent }: AttemptReport,
  hit: StoredHit,
  now: number,
): Promise<boolean> => {
  if (sent !== true || hit.notifiedDate !== undefined) return true;
  const unchanged = where(`#updateDate = :was AND attribute_${hit.isUnnotified ? '' : 'not_'}exists(#isUnnotified)`, {
    was: hit.updateDate,
  });
  const set = { notifiedDate: now, updateDate: now, isLate: true };
  const update = changes({ set, remove: ['isUnnotified'], if: unchanged });
  const end = hit.isUnnotified ? [endUnnotified(customerId, String(hitId))] : [];
  const key = items.ruleHit({ customerId, hitId });
  const note = lateChangeWrite(customerId, hit, now);
  return (await table.write({ update: key, changes: update }, note, ...end)) === null;
};

/** Adds a report at any time, and records the late change. */
const reportLate = (table: Table, report: AttemptReport, now: number): Promise<boolean> =>
  retryOnConflict(async () => {
    const hit = await table.get<StoredHit>(hitKey(report));
    if (hit && !hit.messages[report.at]) return (await reportWithoutMessage(table, report, hit, now)) || null;
    const reported = hit?.messages[report.at]?.sendTryTimes;
    const tries = report.tries.filter((time) => reported && !reported.includes(time));
    if (!hit || tries.length === 0) return true;
    const unchanged = `updateDate = :was AND attribute_${hit.isUnnotified ? '' : 'not_'}exists(isUnnotified)`;
    const { ExpressionAttributeValues, ...change } = changesOf({ ...report, tries }, now, true, unchanged);
    const changes = { ...change, ExpressionAttributeValues: { ...ExpressionAttributeValues, ':was': hit.updateDate } };
    const note = lateChangeWrite(report.customerId, hit, now);
    const end = report.sent === true && hit.isUnnotified ? [endUnnotified(report.customerId, String(hit.id))] : [];
    return (await table.write({ update: hitKey(report), changes }, note, ...end)) === null || null;
  });

/** A hit message sent by an attempt at `sentAt` (ms), but not delivered. */
type UndeliverableMessage = { customerId: number; hitId: number; at: number; sentAt: number };

/**
 * Records that a hit message did not arrive after all. Does nothing if a redelivery has sent it again. Only the other
 * messages for the alarm then count as notifications. Returns the changed hit, or null if there is none.
 */
const reportUndeliverable = async (
  table: Table,
  message: UndeliverableMessage,
  now: number,
): Promise<HitItem | null> => {
  const { customerId, hitId, at, sentAt } = message;
  const { hit } = await retryOnConflict(async () => {
    const key = items.ruleHit({ customerId, hitId });
    const found = await table.get<StoredHit>(key);
    const before = found && hitOf(found);
    const stored = before?.messages[at];
    if (!before || !stored?.wasSend || stored.sendTryTimes.some((time) => time > sentAt)) return { hit: before };
    const { notifiedDate: _, ...hit } = before;
    const messages = hit.messages.map((other, place) => (place === at ? { ...other, wasSend: false } : other));
    const notifiedDate = notifiedDateOf({ ...hit, messages });
    const changes = {
      UpdateExpression:
        `SET messages[${at}].wasSend = :sent, messages[${at}].updateDate = :time, updateDate = :time, isLate = :late` +
        (notifiedDate === null ? ' REMOVE notifiedDate' : ', notifiedDate = :notified'),
      ConditionExpression: 'updateDate = :was',
      ExpressionAttributeValues: {
        ':sent': false,
        ':time': now,
        ':late': true,
        ':was': before.updateDate,
        ...(notifiedDate !== null && { ':notified': notifiedDate }),
      },
    };
    const isWritten = (await table.write({ update: key, changes }, lateChangeWrite(customerId, found, now))) === null;
    return isWritten ? { hit: { ...hit, messages, ...(notifiedDate !== null && { notifiedDate }) } } : null;
  });
  return hit;
};

/**
 * Reports attempts to send one of the messages in a hit. Once sent, it counts as sent whatever attempts are reported
 * later, unless the message service reports it as undeliverable.
 */
const reportAttempts = async (table: Table, made: AttemptReport, now: number): Promise<void> => {
  if (made.tries.length > 0 && !(await reportSoon(table, made, now))) await reportLate(table, made, now);
};

const hitReportWrites = (table: Table) => ({
  /** Reports attempts to send one of the messages in a hit. Attempts already reported are ignored. */
  report: (attempts: AttemptReport, now: number): Promise<void> => reportAttempts(table, attempts, now),

  /** Reports that a hit message did not arrive, although the message service had accepted it. Returns the hit. */
  reportUndeliverable: (message: UndeliverableMessage, now: number): Promise<HitItem | null> =>
    reportUndeliverable(table, message, now),
});

/** Reports on hit messages. A separate noun, because functions that create hits do not send messages. */
export const hitReports = (table: Table) => hitReportWrites(table);
