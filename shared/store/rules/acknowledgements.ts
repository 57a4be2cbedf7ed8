import { fallOfKey } from '#shared/domain/event/fall-key.ts';
import type { StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import type { NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import {
  acknowledgedBy,
  isAnsweredAlike,
  type RequestedAcknowledgement,
} from '#shared/domain/rule/noted-acknowledgement.ts';
import type { Table } from '../engine/client.ts';
import { retryOnConflict } from '../engine/retry.ts';
import type { HitItem } from '../hits/hit-item.ts';
import { putAuditLine } from '../people/audit-lines.ts';
import { answeredHit, fallOfHit, type HitKey, visibleHit } from './acknowledged-hit.ts';
import { answerTo, checkAnswer, type FallRef, readStored, type StoredAnswer } from './fall-answer.ts';
import { acknowledgedNotice, changedNotice, type NoticeKey, setAnswer } from './fall-changes.ts';

type AcknowledgedHit = HitItem & { acknowledgement: NotedAcknowledgement };
/**
 * A hit after a change. `notice`: the notice to process, if the change is reported or other hits have to be updated.
 */
type ChangedHit = { hit: HitItem; notice: NoticeKey | null };
type AcknowledgeResult = ChangedHit & { hit: AcknowledgedHit };

/** Updates a hit to match the answer to the fall. Returns null if either has changed since it was read. */
const agree = async (table: Table, ref: FallRef, hit: HitItem, time: number): Promise<ChangedHit | null> => {
  const answer = await readStored(table, ref);
  const { hit: next, writes } = answeredHit(ref.customerId, hit, answerTo(answer, ref.fall), time);
  const failed = await table.write(...writes, checkAnswer(ref, answer));
  return failed === null ? { hit: next, notice: null } : null;
};

/**
 * Returns the answer to the fall a hit is about. If the fall cannot raise another alarm, all hits for it have the same
 * answer, unless someone is changing it at the moment.
 */
const answerOfHit = async (table: Table, ref: FallRef | null, hit: HitItem): Promise<StoredAnswer> => {
  if (ref && fallOfKey(ref.fall).track !== null) return readStored(table, ref);
  const { acknowledgement, closure } = hit;
  return { ...(acknowledgement && { acknowledgement }), ...(closure && { closure }) };
};

/** A hit to change, and the audit line for the change unless the caller writes it. */
type HitChange = { customerId: number; before: HitItem; auditLine?: StoredAuditEntry | undefined };

/**
 * Sets or removes the acknowledgements of a hit and its fall, with a notice, in one transaction. If another change has
 * answered the fall, the hit follows that change. Returns null if the hit has changed since it was read.
 */
const change = async (
  table: Table,
  { customerId, before, auditLine }: HitChange,
  acknowledgement: NotedAcknowledgement | null,
  time: number,
): Promise<ChangedHit | null> => {
  const { acknowledgement: seen, closure, id: hitId, sensorId, fall } = before;
  const ref = fallOfHit(customerId, before);
  const stored = await answerOfHit(table, ref, before);
  // A hit may have been acknowledged before the fall was, or the fall before the hit was written.
  if (ref && !isAnsweredAlike(before, answerTo(stored, ref.fall))) return agree(table, ref, before, time);
  const answer = { ...(acknowledgement && { acknowledgement }), ...(closure && { closure }) };
  // A changed note does not acknowledge alarms raised since.
  const { upTo } = seen && acknowledgement ? stored : {};
  const { hit, writes } = answeredHit(customerId, before, answer, time);
  const isNew = acknowledgement !== null && !seen;
  const changed = ref && changedNotice(ref, time);
  const notice = isNew ? acknowledgedNotice({ customerId, sensorId }, acknowledgement, { hitId, fall }) : changed;
  const failed = await table.write(
    ...(ref ? [setAnswer(ref, { ...answer, ...(upTo !== undefined && { upTo }) }, stored)] : []),
    ...writes,
    ...(notice ? [notice.write] : []),
    ...(auditLine ? [putAuditLine(customerId, auditLine)] : []),
  );
  if (failed === null) return { hit, notice: notice?.notice ?? null };
  return ref && failed.includes(0) ? agree(table, ref, before, time) : null;
};

const acknowledgementWrites = (table: Table) => ({
  /**
   * Acknowledges a hit created at `since` (ms) or later, and its fall. An existing acknowledgement remains; the same
   * user may change the note. `fallAnswers.settle` then updates the other hits for the fall. Returns null if the hit
   * does not exist. `auditLine`: stored with an acknowledgement made outside the API.
   */
  make: async (
    key: HitKey,
    acknowledgement: RequestedAcknowledgement,
    since: number,
    auditLine?: StoredAuditEntry,
  ): Promise<AcknowledgeResult | null> => {
    const { customerId } = key;
    const { found } = await retryOnConflict(async () => {
      const hit = await visibleHit(table, key, since);
      if (!hit) return { found: null };
      const next = acknowledgedBy(acknowledgement, hit.acknowledgement);
      if (!next) return { found: { hit, notice: null } };
      const changed = await change(table, { customerId, before: hit, auditLine }, next, acknowledgement.date);
      // A fall whose acknowledgement was withdrawn at the same time is acknowledged again.
      return changed?.hit.acknowledgement ? { found: changed } : null;
    });
    return found as AcknowledgeResult | null;
  },

  /**
   * Withdraws the acknowledgement of a hit and its fall at `now` (ms). Returns the hit, or null if there is no hit
   * created at `since` or later; `refused` if the acknowledgement must not be withdrawn; `closed` if the fall is
   * closed.
   */
  withdraw: async (
    key: HitKey,
    isAllowed: (acknowledgement: NotedAcknowledgement) => boolean,
    since: number,
    now: number,
  ): Promise<ChangedHit | 'refused' | 'closed' | null> => {
    const { found } = await retryOnConflict(async () => {
      const hit = await visibleHit(table, key, since);
      if (!hit?.acknowledgement) return { found: hit && { hit, notice: null } };
      if (!isAllowed(hit.acknowledgement)) return { found: 'refused' as const };
      if (hit.closure) return { found: 'closed' as const };
      const changed = await change(table, { customerId: key.customerId, before: hit }, null, now);
      return changed && !changed.hit.acknowledgement ? { found: changed } : null;
    });
    return found;
  },
});

export const acknowledgements = (table: Table) => acknowledgementWrites(table);
