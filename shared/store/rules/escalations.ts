import { type Escalation, lookAt } from '#shared/domain/rule/escalation.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { Table } from '../engine/client.ts';
import { dueAt, dueNames } from '../engine/due.ts';
import { changes, where } from '../engine/request.ts';
import type { HitItem } from '../hits/hit-item.ts';
import { noteLateChange } from '../hits/late-change.ts';
import { items } from '../table.ts';

/** A hit whose escalation goes on, as it was read. */
export type EscalatedHit = HitItem & Required<Pick<HitItem, 'escalation' | 'cause'>>;

/** The attributes by which the sweep finds the next round of a hit. */
export const dueRound = (hitId: number, { at, open }: Escalation, now: number) =>
  dueAt(String(hitId), open ? now : lookAt(at, now));

const isAsRead = '#escalation = :was';

const escalationWrites = (table: Table) => ({
  /**
   * Decides a round of a hit at a time (ms), with the messages of those who have none yet. False when somebody has
   * acknowledged the hit, or it has changed since it was read. A step comes long after its hit, so lists see it by a note.
   */
  open: async (
    customerId: number,
    hit: EscalatedHit,
    { escalation, messages }: { escalation: Escalation; messages: readonly RuleMessage[] },
    now: number,
  ): Promise<boolean> => {
    const updateDate = Math.max(now, hit.updateDate);
    const update = changes({
      set: { escalation, updateDate, isLate: true, ...(escalation.isHurried && { nobodyOnDuty: true }) },
      compute: { messages: 'list_append(#messages, :more)' },
      if: where(`${isAsRead} AND #updateDate = :before AND attribute_not_exists(#acknowledgement)`, {
        was: hit.escalation,
        before: hit.updateDate,
        more: messages,
      }),
    });
    const key = items.ruleHit({ customerId, hitId: hit.id });
    return (await table.write({ update: key, changes: update }, noteLateChange(customerId, hit, updateDate))) === null;
  },

  /** Has the hit looked at when its next round is due; null ends its escalation. Nothing when it has changed since it was read. */
  goOn: async (customerId: number, hit: EscalatedHit, next: Escalation | null, now: number): Promise<void> => {
    const unchanged = where(isAsRead, { was: hit.escalation });
    const update = next
      ? changes({ set: { escalation: next, ...dueRound(hit.id, next, now) }, if: unchanged })
      : changes({ remove: ['escalation', 'cause', ...dueNames], if: unchanged });
    await table.update(items.ruleHit({ customerId, hitId: hit.id }), update);
  },

  /** Has an acknowledged hit not looked at any more; it keeps how far it has come, for somebody may take that back. */
  rest: async (customerId: number, hit: EscalatedHit): Promise<void> => {
    const isTaken = where(`${isAsRead} AND attribute_exists(#acknowledgement)`, { was: hit.escalation });
    await table.update(items.ruleHit({ customerId, hitId: hit.id }), changes({ remove: dueNames, if: isTaken }));
  },
});

export const escalations = (table: Table) => escalationWrites(table);
