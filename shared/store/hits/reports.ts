import type { Feedback } from '#shared/domain/event/feedback.ts';
import { firstWhere } from '#shared/domain/first-where.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { ReportHit } from '#shared/domain/rule/report-figures.ts';
import type { TableReader } from '../engine/client.ts';
import { items } from '../table.ts';
import type { HitItem } from './hit-item.ts';
import { hitsOfCustomer } from './hit-sequence.ts';

/** The number of complete hits that are in memory at a time. */
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

/** The data of reports. It is stored for other purposes, and read eventually consistently, at half the cost. */
export const reports = (table: TableReader) => ({
  /**
   * Returns what a report needs of a customer's hits from `from` (ms) on and before `before`, in order, without those of
   * simulated events. Null if there are more than `limit`.
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

  /** Returns the feedback on a sensor since a time (ms), or null if it exceeds the 1 MB that one query reads. */
  feedback: async (customerId: number, sensorId: string, since: number): Promise<Feedback[] | null> => {
    const pk = items.feedback.pk({ customerId, sensorId });
    const idAt = (feedbackId: number) => items.feedback.sk({ feedbackId });
    const between = [idAt(firstIdAt(since)), idAt(Number.MAX_SAFE_INTEGER)] as const;
    const { items: found, next } = await table.query<Feedback>({ pk, between, consistent: false });
    return next ? null : found;
  },
});
