import type { Acknowledgement, ClosingUser, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { acknowledgedBy, closedBy, type RequestedAcknowledgement } from '#shared/domain/rule/noted-acknowledgement.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { EventItem, MessageItem } from '../sensors/events.ts';
import { items } from '../table.ts';
import { answerKeyOf, coversAll, type FallAnswer, type FallRef, readStored } from './fall-answer.ts';
import { acknowledgedNotice, changedNotice, type NoticeKey, setAnswer } from './fall-changes.ts';

/** A fall after a change. `notice`: the notice to process, if anything has changed. */
type ChangedFall = { answer: FallAnswer; notice: NoticeKey | null };

/** A sensor event received at the given time (ms) or later. */
type EventKey = [customerId: number, sensorId: string, uuid: string, since: number];
const readEvent = async (table: TableReader, [customerId, sensorId, uuid, since]: EventKey) => {
  const message = await table.get<MessageItem>(items.message({ customerId, sensorId, uuid }));
  const event =
    message && (await table.get<EventItem>(items.event({ customerId, sensorId, eventId: message.id, uuid })));
  return event && event.receiveDate >= since ? event : null;
};

export const fallReads = (table: TableReader) => ({
  /** Returns the fall that a sensor event received at `since` (ms) or later is about, or null. */
  ofEvent: async (...key: EventKey): Promise<FallRef | null> => {
    const [customerId, sensorId] = key;
    const event = await readEvent(table, key);
    return event?.fall === undefined ? null : { customerId, sensorId, fall: event.fall };
  },

  /** Returns the fall that an event is about, the event itself if it is another alarm, or null if it is neither. */
  ofAlarm: async (...key: EventKey): Promise<FallRef | null> => {
    const [customerId, sensorId] = key;
    const event = await readEvent(table, key);
    const fall = event && answerKeyOf(event);
    return fall ? { customerId, sensorId, fall } : null;
  },
});

const fallWrites = (table: Table) => ({
  /**
   * Acknowledges a fall with all its alarms so far. An existing acknowledgement of the fall or one of its hits since
   * the last alarm remains; the same user may change the note. `fallAnswers.settle` then updates the hits.
   */
  acknowledge: (
    ref: FallRef,
    acknowledgement: RequestedAcknowledgement,
  ): Promise<ChangedFall & { answer: { acknowledgement: NotedAcknowledgement } }> =>
    retryOnConflict(async () => {
      const seen = await readStored(table, ref);
      const { acknowledgement: earlier } = coversAll(seen) ? seen : {};
      const next = acknowledgedBy(acknowledgement, earlier);
      if (!next) return earlier ? { answer: { ...seen, acknowledgement: earlier }, notice: null } : null;
      const { notice, write } = earlier
        ? changedNotice(ref, acknowledgement.date)
        : acknowledgedNotice(ref, next, { fall: ref.fall });
      const { closure } = seen;
      const answer = { ...(closure && { closure }), acknowledgement: next };
      const failed = await table.write(setAnswer(ref, answer, seen), write);
      return failed === null ? { answer, notice } : null;
    }),

  /**
   * Closes a fall, and acknowledges it if no one has. Anyone may change the outcome and note in an earlier closure.
   * Afterwards, `fallAnswers.settle` updates the hits, and shared/domain/state/answers.ts the sensor state.
   */
  close: (ref: FallRef, closing: ClosingUser, by: Acknowledgement): Promise<ChangedFall> =>
    retryOnConflict(async () => {
      const seen = await readStored(table, ref);
      const isAcknowledged = coversAll(seen);
      const { acknowledgement = by } = isAcknowledged ? seen : {};
      const closure = closedBy(closing, by, seen.closure);
      if (!closure) return { answer: seen, notice: null };
      const { notice, write } = isAcknowledged
        ? changedNotice(ref, by.date, 'closed')
        : acknowledgedNotice(ref, by, { fall: ref.fall });
      const answer = { acknowledgement, closure };
      const failed = await table.write(setAnswer(ref, answer, seen), write);
      return failed === null ? { answer, notice } : null;
    }),

  /**
   * Withdraws a fall's acknowledgement at `now` (ms). Returns `refused` if it must not be withdrawn, or `closed` if the
   * fall is closed.
   */
  withdraw: (
    ref: FallRef,
    isAllowed: (acknowledgement: NotedAcknowledgement) => boolean,
    now: number,
  ): Promise<ChangedFall | 'refused' | 'closed'> =>
    retryOnConflict(async () => {
      const seen = await readStored(table, ref);
      if (!seen.acknowledgement) return { answer: {}, notice: null };
      if (!isAllowed(seen.acknowledgement)) return 'refused';
      if (seen.closure) return 'closed';
      const { notice, write } = changedNotice(ref, now);
      const failed = await table.write(setAnswer(ref, {}, seen), write);
      return failed === null ? { answer: {}, notice } : null;
    }),
});

export const falls = (table: Table) => ({ ...fallReads(table), ...fallWrites(table) });
