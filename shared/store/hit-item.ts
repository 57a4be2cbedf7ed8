import type { Feedback } from '../domain/feedback.ts';
import type { HitNumber, RuleHit, RuleMessage } from '../domain/rule-hit.ts';
import { items, lists } from './table.ts';

/** A hit as it is stored. `sensor` is looked up when it is read; `allSend` follows from the messages. */
export type HitItem = Omit<RuleHit, 'sensor' | 'feedback' | 'allSend' | 'ruleMessages'> & {
  messages: RuleMessage[];
  /** The newest, kept in step by feedback.ts. */
  feedback?: Feedback | null;
  /** Its last change is among the late ones: late-change.ts. */
  isLate?: true;
};
/** A hit that has no place yet: its id and dates, and those of its messages, follow from where it is appended. */
export type NewHit = Omit<HitItem, 'id' | 'createDate' | 'updateDate' | 'messages'> & {
  messages: Omit<RuleMessage, 'ruleHitId' | 'createDate' | 'updateDate'>[];
  numbered: HitNumber;
};

/** Ids of one customer's hits are dense: this many of them before those of the next customer. */
const IDS = 2 ** 32;
/** The place before the first hit of a customer. */
export const firstId = (customerId: number): number => customerId * IDS;

export const pkOf = (customerId: number) => items.ruleHit.pk({ customerId });
export const between = (from: number, to: number) =>
  [items.ruleHit.sk({ hitId: Math.max(0, from) }), items.ruleHit.sk({ hitId: Math.max(0, to) })] as const;
export const listOf = (customerId: number, sensorId: string) => lists.hitsOfSensor({ customerId, sensorId });
