import type { Feedback } from '#shared/domain/event/feedback.ts';
import { firstWhere } from '#shared/domain/first-where.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { ReportHit } from '#shared/domain/rule/report-figures.ts';
import { unruledAlarm, unruledBetween } from '../alarms/unruled-reader.ts';
import type { TableReader } from '../engine/client.ts';
import type { Item } from '../engine/request.ts';
import type { Key } from '../key.ts';
import { answerKey, answerTo, type StoredAnswer } from '../rules/fall-answer.ts';
import { items, lists } from '../table.ts';
import type { HitItem } from './hit-item.ts';
import { hitsOfCustomer } from './hit-sequence.ts';

/** The maximum number of complete hits held in memory. */
const CHUNK = 1_000;

const reportHit = ({
  createDate,
  sensorId,
  sensorEventId,
  situation,
  acknowledgement,
  feedback,
}: HitItem): ReportHit => ({
  createDate,
  sensorId,
  sensorEventId,
  situation,
  acknowledged: acknowledgement?.date ?? null,
  feedback: feedback ?? null,
});

/** Report data. It is stored for other purposes, and read eventually consistently, at half the cost. */
export const reports = (table: TableReader) => ({
  /**
   * Returns what a report needs to know about a customer's hits in [`from`, `before`) (ms), in order, excluding hits
   * from simulated events, or null if there are more than `limit`.
   */
  hits: async (customerId: number, from: number, before: number, limit: number): Promise<ReportHit[] | null> => {
    const line = await hitsOfCustomer(table, customerId, from);
    const isAfter = async (position: number) => (await line.at(position)).createDate >= before;
    const isAnyAfter = line.size > 0 && (await isAfter(line.size - 1));
    const end = isAnyAfter ? await firstWhere(0, line.size, isAfter) : line.size;
    if (end > limit) return null;
    const found: ReportHit[] = [];
    for (let at = 0; at < end; at += CHUNK) {
      const hits = await line.hits(at, Math.min(end, at + CHUNK));
      found.push(...hits.filter(({ isSimulated, isErased }) => !isSimulated && !isErased).map(reportHit));
    }
    return found;
  },

  /**
   * Returns the falls in [`from`, `before`) (ms) for which no rule fired, in order, in the same form as report hits, or
   * null if there are more than `limit`.
   */
  fallsWithoutRule: async (
    customerId: number,
    from: number,
    before: number,
    limit: number,
  ): Promise<ReportHit[] | null> => {
    const rows: (Key & { listSk: string })[] = [];
    let startAfter: Item | undefined;
    do {
      const pk = lists.alarmsWithoutRule.pk({ customerId });
      const between = unruledBetween(from, before - 1);
      const page = await table.query<{ listSk: string }>({ index: 'list', pk, between, startAfter });
      rows.push(...page.items);
      startAfter = page.next;
    } while (startAfter && rows.length <= limit);
    if (rows.length > limit) return null;
    const found = rows
      .flatMap(unruledAlarm)
      .flatMap(({ fall, ...alarm }) => (fall === null ? [] : [{ ...alarm, fall }]));
    const keys = found.map(({ sensorId, fall }) => answerKey({ customerId, sensorId, fall }));
    const unique = [...new Map(keys.map((key) => [key.sk, key])).values()];
    const answers = new Map((await table.getAll<StoredAnswer>(unique, false)).map((answer) => [answer.sk, answer]));
    return found.map(({ date: createDate, uuid: sensorEventId, sensorId, situation, fall }, at) => ({
      createDate,
      sensorEventId,
      sensorId,
      situation,
      acknowledged: answerTo(answers.get(keys[at]?.sk ?? '') ?? {}, fall).acknowledgement?.date ?? null,
      feedback: null,
    }));
  },

  /** Returns the feedback on a sensor from the given time (ms) on, or null if it exceeds the 1 MB read by one query. */
  feedback: async (customerId: number, sensorId: string, since: number): Promise<Feedback[] | null> => {
    const pk = items.feedback.pk({ customerId, sensorId });
    const idAt = (feedbackId: number) => items.feedback.sk({ feedbackId });
    const between = [idAt(firstIdAt(since)), idAt(Number.MAX_SAFE_INTEGER)] as const;
    const { items: found, next } = await table.query<Feedback>({ pk, between, consistent: false });
    return next ? null : found;
  },
});
