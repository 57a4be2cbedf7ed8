import type { Table } from '../engine/client.ts';
import type { Changes } from '../engine/request.ts';
import { retryOnConflict } from '../engine/retry.ts';
import { items } from '../table.ts';
import type { StoredHit } from './hit-item.ts';
import { noteLateChange, SOON } from './late-change.ts';

/** What is reported of the message number `at` of a hit. `tries`: when (ms) each attempt to send it began. */
export type Report = { customerId: number; hitId: number; at: number; tries: readonly number[]; sent: boolean };

const keyOf = ({ customerId, hitId }: Report) => items.ruleHit({ customerId, hitId });

/** The change of a report at a time (ms), under a condition. What was reported before fails, for a crash makes that happen. */
const changesOf = ({ at, tries, sent }: Report, time: number, isLate: boolean, condition: string): Changes => {
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

/** Reports to a hit soon after it was made; false when it is older, or has this report. */
const reportSoon = async (table: Table, report: Report, now: number): Promise<boolean> => {
  // A repeated decision may name a recipient whom the hit does not have.
  const isThere = `attribute_exists(messages[${report.at}].sendTryTimes)`;
  const isSoon = 'attribute_not_exists(isLate) AND createDate BETWEEN :soon AND :time';
  const { ExpressionAttributeValues, ...change } = changesOf(report, now, false, `${isThere} AND ${isSoon}`);
  const values = { ...ExpressionAttributeValues, ':soon': now - SOON };
  return (await table.update(keyOf(report), { ...change, ExpressionAttributeValues: values })) !== null;
};

/** Reports to a hit at any time, and notes that it changed late. */
const reportLate = (table: Table, report: Report, now: number): Promise<boolean> =>
  retryOnConflict(async () => {
    const hit = await table.get<StoredHit>(keyOf(report));
    const reported = hit?.messages[report.at]?.sendTryTimes;
    const tries = report.tries.filter((time) => reported && !reported.includes(time));
    if (!hit || tries.length === 0) return true;
    const time = Math.max(now, hit.updateDate);
    const { ExpressionAttributeValues, ...change } = changesOf({ ...report, tries }, time, true, 'updateDate = :was');
    const changes = { ...change, ExpressionAttributeValues: { ...ExpressionAttributeValues, ':was': hit.updateDate } };
    const note = noteLateChange(report.customerId, hit, time);
    return (await table.write({ update: keyOf(report), changes }, note)) === null || null;
  });

/** Reports attempts to send one message of a hit; a success stays one whatever comes later. */
export const report = async (table: Table, made: Report, now: number): Promise<void> => {
  if (made.tries.length > 0 && !(await reportSoon(table, made, now))) await reportLate(table, made, now);
};
