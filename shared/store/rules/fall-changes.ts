import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { fallOfKey } from '#shared/domain/event/fall-key.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import type { NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import { changes, type Write } from '../engine/request.ts';
import { type NoticeItem, putNotice } from '../sensors/events.ts';
import { answerKey, type FallRef, type StoredAnswer, sameAnswer } from './fall-answer.ts';

/** A notice to be processed. */
export type NoticeKey = { customerId: number; sensorId: string; uuid: string; receiveDate: number };
type WrittenNotice = { notice: NoticeKey; write: Write };

/** Answers are kept longer than the fall hits, even if a device clock is a day behind. */
const ttlOf = (start: number) => Math.ceil((start + EVENT_RETENTION) / 1_000) + 2 * 86_400;

/**
 * Returns the write that replaces the answer to a fall, if it is unchanged since it was read. Without `upTo`, the new
 * answer covers all alarms.
 */
export const setAnswer = (
  ref: FallRef,
  { acknowledgement, closure, upTo }: StoredAnswer,
  seen: StoredAnswer,
): Write => ({
  update: answerKey(ref),
  changes: changes({
    set: {
      ...(acknowledgement && { acknowledgement }),
      ...(closure && { closure }),
      ttl: ttlOf(seen.newest ?? fallOfKey(ref.fall).start),
    },
    remove: [
      ...(acknowledgement ? [] : ['acknowledgement']),
      ...(upTo === undefined && seen.upTo !== undefined ? ['upTo'] : []),
    ],
    if: sameAnswer(seen),
  }),
});

/** Returns the write that records another alarm in a fall. The alarm is unacknowledged unless the fall is closed. */
export const setNewest = (ref: FallRef, seen: StoredAnswer): Write => {
  const { start: newest, began } = fallOfKey(ref.fall);
  const { acknowledgement, closure, newest: before = began, upTo = before } = seen;
  const isOpen = acknowledgement && !closure;
  return {
    update: answerKey(ref),
    changes: changes({ set: { newest, ...(isOpen && { upTo }), ttl: ttlOf(newest) }, if: sameAnswer(seen) }),
  };
};

/** Returns the notice that someone acknowledged an alarm. It is written once. */
export const acknowledgedNotice = (
  { customerId, sensorId }: Pick<FallRef, 'customerId' | 'sensorId'>,
  { userId, name, date: receiveDate }: NotedAcknowledgement,
  { hitId = null, fall }: { hitId?: number | null; fall?: string | undefined },
): WrittenNotice => {
  const uuid = uuidV5(sensorId, 'acknowledged', hitId ?? fall ?? '', receiveDate);
  const acknowledgement = { ruleHitId: hitId, userId, name, date: receiveDate };
  const item: NoticeItem = {
    notice: 'acknowledged',
    receiveDate,
    acknowledgement,
    ...(fall !== undefined && { fall }),
  };
  return {
    notice: { customerId, sensorId, uuid, receiveDate },
    write: putNotice({ customerId, sensorId }, uuid, item),
  };
};

/** Returns the notice that the answer to a fall has changed. It does not cause an event, so it may be written again. */
export const changedNotice = (
  { customerId, sensorId, fall }: FallRef,
  receiveDate: number,
  change: 'fall_changed' | 'closed' = 'fall_changed',
): WrittenNotice => {
  const uuid = uuidV5(sensorId, change, fall, receiveDate);
  const { put } = putNotice({ customerId, sensorId }, uuid, { notice: 'fall_changed', receiveDate, fall });
  return { notice: { customerId, sensorId, uuid, receiveDate }, write: { put } };
};
