import type { Feedback } from '#shared/domain/event/feedback.ts';
import { firstWhere } from '#shared/domain/first-where.ts';
import { firstIdAt } from '#shared/domain/ids.ts';
import type { ReportHit } from '#shared/domain/rule/report-figures.ts';
import type { TableReader } from '../engine/client.ts';
import { items } from '../table.ts';
import type { HitItem } from './hit-item.ts';
import { customerLine } from './hit-line.ts';

/** So many hits are in memory at a time as they are stored. */
const STRETCH = 1_000;

const reported = ({
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

/** What a report is made of. All of it is kept for other reasons, and read eventually consistent, at half the price. */
export const reports = (table: TableReader) => ({
  /**
   * What a customer's hits say that were made from a time (ms) on and before another, in their order, without those of
   * simulated events; null: they are more than `most`.
   */
  hits: async (customerId: number, from: number, before: number, most: number): Promise<ReportHit[] | null> => {
    const line = await customerLine(table, customerId, from);
    const isBehind = async (position: number) => (await line.at(position)).createDate >= before;
    const isAnyBehind = line.size > 0 && (await isBehind(line.size - 1));
    const end = isAnyBehind ? await firstWhere(0, line.size, isBehind) : line.size;
    if (end > most) return null;
    const found: ReportHit[] = [];
    for (let at = 0; at < end; at += STRETCH) {
      const hits = await line.hits(at, Math.min(end, at + STRETCH));
      found.push(...hits.filter(({ isSimulated, isErased }) => !isSimulated && !isErased).map(reported));
    }
    return found;
  },

  /** The feedback that was given on a sensor since a time (ms); null: it is more than one query reads, 1 MB. */
  feedback: async (customerId: number, sensorId: string, since: number): Promise<Feedback[] | null> => {
    const pk = items.feedback.pk({ customerId, sensorId });
    const idAt = (feedbackId: number) => items.feedback.sk({ feedbackId });
    const between = [idAt(firstIdAt(since)), idAt(Number.MAX_SAFE_INTEGER)] as const;
    const { items: found, next } = await table.query<Feedback>({ pk, between, consistent: false });
    return next ? null : found;
  },
});
