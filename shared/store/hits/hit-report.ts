import type { Table } from '../engine/client.ts';
import type { Changes } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import type { StoredHit } from './hit-item.ts';
import { lateChangeWrite, SOON_MS } from './late-change.ts';

/** A report on message number `at` of a hit. `tries`: when (ms) each attempt to send it started. */
export type AttemptReport = { customerId: number; hitId: number; at: number; tries: readonly number[]; sent: boolean };

const hitKey = ({ customerId, hitId }: AttemptReport) => items.ruleHit({ customerId, hitId });

/** The conditional change of a report at a time (ms). Fails if this was reported before, as happens after a crash. */
const changesOf = ({ at, tries, sent }: AttemptReport, time: number, isLate: boolean, condition: string): Changes => {
  const message = `messages[${at}]`;
  return {
    UpdateExpression:
      `SET ${message}.sendTryTimes = list_append(${message}.sendTryTimes, :tries), ` +
      `${message}.updateDate = :time, updateDate = :time${sent ? `, ${message}.wasSend = :sent` : ''}` +
      `${isLate ? ', isLate = :late' : ''}`,
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

/** Adds a report soon after the hit was created. False if the hit is older, or has this report already. */
const reportSoon = async (table: Table, report: AttemptReport, now: number): Promise<boolean> => {
  // A decision that is applied again may contain a recipient that the hit does not have.
  const hasMessage = `attribute_exists(messages[${report.at}].sendTryTimes)`;
  const isSoon = 'attribute_not_exists(isLate) AND createDate BETWEEN :soon AND :time';
  const { ExpressionAttributeValues, ...change } = changesOf(report, now, false, `${hasMessage} AND ${isSoon}`);
  const values = { ...ExpressionAttributeValues, ':soon': now - SOON_MS };
  return (await table.update(hitKey(report), { ...change, ExpressionAttributeValues: values })) !== null;
};

/** Adds a report at any time, and records that the hit changed late. */
const reportLate = (table: Table, report: AttemptReport, now: number): Promise<boolean> =>
  retryOnConflict(async () => {
    const hit = await table.get<StoredHit>(hitKey(report));
    const reported = hit?.messages[report.at]?.sendTryTimes;
    const tries = report.tries.filter((time) => reported && !reported.includes(time));
    if (!hit || tries.length === 0) return true;
    const time = Math.max(now, hit.updateDate);
    const { ExpressionAttributeValues, ...change } = changesOf({ ...report, tries }, time, true, 'updateDate = :was');
    const changes = { ...change, ExpressionAttributeValues: { ...ExpressionAttributeValues, ':was': hit.updateDate } };
    const note = lateChangeWrite(report.customerId, hit, time);
    return (await table.write({ update: hitKey(report), changes }, note)) === null || null;
  });

/** A message of a hit that was sent by an attempt at `sentAt` (ms), and did not arrive. */
export type UndeliverableMessage = { customerId: number; hitId: number; at: number; sentAt: number };

/**
 * Records that a message of a hit did not arrive after all. Does nothing if it was sent again later, by a redelivery. From
 * here on the alarm counts as notified only by its other messages.
 */
export const reportUndeliverable = async (table: Table, message: UndeliverableMessage, now: number): Promise<void> => {
  const { customerId, hitId, at, sentAt } = message;
  await retryOnConflict(async () => {
    const key = items.ruleHit({ customerId, hitId });
    const hit = await table.get<StoredHit>(key);
    const stored = hit?.messages[at];
    if (!hit || !stored?.wasSend || stored.sendTryTimes.some((time) => time > sentAt)) return true;
    const changes = {
      UpdateExpression: `SET messages[${at}].wasSend = :sent, messages[${at}].updateDate = :time, updateDate = :time, isLate = :late`,
      ConditionExpression: 'updateDate = :was',
      ExpressionAttributeValues: {
        ':sent': false,
        ':time': Math.max(now, hit.updateDate),
        ':late': true,
        ':was': hit.updateDate,
      },
    };
    const note = lateChangeWrite(customerId, hit, Math.max(now, hit.updateDate));
    return (await table.write({ update: key, changes }, note)) === null || null;
  });
};

/**
 * Reports attempts to send one message of a hit. Once it was sent, it stays so, whatever attempts are reported later, unless
 * its service reports that it did not arrive.
 */
export const reportAttempts = async (table: Table, made: AttemptReport, now: number): Promise<void> => {
  if (made.tries.length > 0 && !(await reportSoon(table, made, now))) await reportLate(table, made, now);
};
