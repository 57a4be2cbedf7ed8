import { type Escalation, sweepCheckAt } from '#shared/domain/rule/escalation.ts';
import type { RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import type { Table } from '../engine/client.ts';
import { dueAt, dueAttributes } from '../engine/due.ts';
import { changes, where } from '../engine/request.ts';
import type { HitItem } from '../hits/hit-item.ts';
import { lateChangeWrite } from '../hits/late-change.ts';
import { items } from '../table.ts';

/** A hit with a running escalation, as read. */
export type EscalatingHit = HitItem & Required<Pick<HitItem, 'escalation' | 'cause'>>;

/**
 * Returns the attributes by which the sweep finds the next round for a hit. While a round is open, it is due at once.
 */
export const dueRound = (hitId: number, { at, open }: Escalation, now: number) =>
  dueAt(String(hitId), open ? now : sweepCheckAt(at, now));

const sameEscalation = '#escalation = :was';

const escalationWrites = (table: Table) => ({
  /**
   * Decides a round for a hit at `now` (ms), and adds the messages for the new recipients. Returns false if someone has
   * acknowledged the hit, or it has changed since it was read. This is always recorded as a late change, because a
   * round follows long after the hit.
   */
  open: async (
    customerId: number,
    hit: EscalatingHit,
    { escalation, messages }: { escalation: Escalation; messages: readonly RuleMessage[] },
    now: number,
  ): Promise<boolean> => {
    const update = changes({
      set: { escalation, updateDate: now, isLate: true, ...(escalation.isHurried && { nobodyOnDuty: true }) },
      compute: { messages: 'list_append(#messages, :more)' },
      if: where(`${sameEscalation} AND #updateDate = :before AND attribute_not_exists(#acknowledgement)`, {
        was: hit.escalation,
        before: hit.updateDate,
        more: messages,
      }),
    });
    const key = items.ruleHit({ customerId, hitId: hit.id });
    return (await table.write({ update: key, changes: update }, lateChangeWrite(customerId, hit, now))) === null;
  },

  /**
   * Schedules the next round for a hit, or ends the escalation if `next` is null. Does nothing if the hit has changed
   * since it was read.
   */
  scheduleRound: async (
    customerId: number,
    hit: EscalatingHit,
    next: Escalation | null,
    now: number,
  ): Promise<void> => {
    const unchanged = where(sameEscalation, { was: hit.escalation });
    const update = next
      ? changes({ set: { escalation: next, ...dueRound(hit.id, next, now) }, if: unchanged })
      : changes({ remove: ['escalation', 'cause', ...dueAttributes], if: unchanged });
    await table.update(items.ruleHit({ customerId, hitId: hit.id }), update);
  },

  /**
   * Removes an acknowledged hit from the due index. The escalation is kept in case the acknowledgement is withdrawn.
   */
  removeFromDue: async (customerId: number, hit: EscalatingHit): Promise<void> => {
    const isAcknowledged = where(`${sameEscalation} AND attribute_exists(#acknowledgement)`, { was: hit.escalation });
    await table.update(
      items.ruleHit({ customerId, hitId: hit.id }),
      changes({ remove: dueAttributes, if: isAcknowledged }),
    );
  },
});

export const escalations = (table: Table) => escalationWrites(table);
