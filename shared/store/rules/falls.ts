import type { NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { acknowledgedBy, type RequestedAcknowledgement } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { EventItem, MessageItem } from '../sensors/events.ts';
import { items } from '../table.ts';
import { type FallAnswer, type FallRef, readAnswer } from './fall-answer.ts';
import { acknowledgedNotice, changedNotice, type NoticeKey, setAcknowledgement } from './fall-changes.ts';

/** A fall after a change. `notice`: the notice to process, if anything has changed. */
type ChangedFall = { answer: FallAnswer; notice: NoticeKey | null };

export const fallReads = (table: TableReader) => ({
  /** Returns the fall that an event of a sensor since `since` (ms) is about, or null. */
  ofEvent: async (customerId: number, sensorId: string, uuid: string, since: number): Promise<FallRef | null> => {
    const message = await table.get<MessageItem>(items.message({ customerId, sensorId, uuid }));
    const event =
      message && (await table.get<EventItem>(items.event({ customerId, sensorId, eventId: message.id, uuid })));
    if (!event || event.receiveDate < since) return null;
    return event.fall === undefined ? null : { customerId, sensorId, fall: event.fall };
  },
});

const fallWrites = (table: Table) => ({
  /**
   * Acknowledges a fall. If somebody has acknowledged it or one of its hits before, that acknowledgement remains; its user may
   * change the note. Its hits follow (`fallAnswers.settle`).
   */
  acknowledge: (
    ref: FallRef,
    acknowledgement: RequestedAcknowledgement,
  ): Promise<ChangedFall & { answer: { acknowledgement: NotedAcknowledgement } }> =>
    retryOnConflict(async () => {
      const { acknowledgement: earlier, ...answer } = await readAnswer(table, ref);
      const next = acknowledgedBy(acknowledgement, earlier);
      if (!next) return earlier ? { answer: { ...answer, acknowledgement: earlier }, notice: null } : null;
      const { notice, write } = earlier
        ? changedNotice(ref, acknowledgement.date)
        : acknowledgedNotice(ref, next, { fall: ref.fall });
      const failed = await table.write(setAcknowledgement(ref, next, earlier ?? null), write);
      return failed === null ? { answer: { ...answer, acknowledgement: next }, notice } : null;
    }),

  /** Withdraws the acknowledgement of a fall at `now` (ms). `refused` if it must not be withdrawn. */
  withdraw: (
    ref: FallRef,
    isAllowed: (acknowledgement: NotedAcknowledgement) => boolean,
    now: number,
  ): Promise<ChangedFall | 'refused'> =>
    retryOnConflict(async () => {
      const { acknowledgement, ...answer } = await readAnswer(table, ref);
      if (!acknowledgement) return { answer, notice: null };
      if (!isAllowed(acknowledgement)) return 'refused';
      const { notice, write } = changedNotice(ref, now);
      const failed = await table.write(setAcknowledgement(ref, null, acknowledgement), write);
      return failed === null ? { answer, notice } : null;
    }),
});

export const falls = (table: Table) => ({ ...fallReads(table), ...fallWrites(table) });
