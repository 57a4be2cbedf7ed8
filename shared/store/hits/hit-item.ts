import type { Decided } from '#shared/domain/event/decision.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { FallClosure, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Escalation } from '#shared/domain/rule/escalation.ts';
import type { HitNumber } from '#shared/domain/rule/hit-position.ts';
import { packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import type { RuleHit, RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { items } from '../table.ts';

/** A hit message. `outbox`: only written to a file, which does not reach anyone. */
type HitMessage = RuleMessage & { outbox?: true };

/** A hit as the store returns it. `sensor` is looked up when a hit is read; `allSend` is derived from the messages. */
export type HitItem = Omit<
  RuleHit,
  | 'sensor'
  | 'feedback'
  | 'acknowledgement'
  | 'closure'
  | 'allSend'
  | 'notifiedDate'
  | 'unansweredDate'
  | 'ruleMessages'
  | 'nobodyOnDuty'
> & {
  messages: HitMessage[];
  /**
   * When (ms) the first message succeeded. Absent if none succeeded, or if all that succeeded were later reported
   * undeliverable.
   */
  notifiedDate?: number;
  /** The alarm did not reach anyone in time (record-unnotified.ts). */
  isUnnotified?: true;
  /** When (ms) the alarm was found unacknowledged after all rounds had been sent (record-unnotified.ts). */
  unansweredDate?: number;
  /** The newest feedback, kept up to date by feedback.ts. */
  feedback?: Feedback | null;
  /** The users on duty should have been notified, but no one was on duty. */
  nobodyOnDuty?: true;
  /** Absent until someone acknowledges the hit (acknowledgements.ts). */
  acknowledgement?: NotedAcknowledgement;
  /** Absent until someone closes the fall (falls.ts). */
  closure?: FallClosure;
  /** The fall key, if the event is about a fall. */
  fall?: string;
  /** The event was simulated, and a rule that includes simulated events fired. */
  isSimulated?: true;
  /** Stands in for an erased hit, because ids have no gaps. Never shown (erasure-rules.ts). */
  isErased?: true;
  /** Set if `createDate` is earlier than the date of a previous hit (rule-hit.ts). */
  orderDate?: number;
  /** The last change is recorded as late (late-change.ts). */
  isLate?: true;
  /** The progress and the event of a running escalation (escalations.ts). */
  escalation?: Escalation;
  cause?: Cause;
  duePk?: string;
  dueAt?: string;
};
/** The event that caused a hit, as in the decision. */
type Cause = Omit<Decided, 'rules' | 'requestId' | 'fall'>;

/** A hit without a place. Where it is appended determines the ids and dates of the hit and its messages. */
export type NewHit = Omit<HitItem, 'id' | 'createDate' | 'updateDate' | 'orderDate' | 'messages' | 'escalation'> & {
  messages: NewMessage[];
  hitNumber: HitNumber;
  /** Returns the escalation for a hit created at `createDate` (ms). */
  escalationAt?: (createDate: number) => Escalation | null;
};
/** A message in a new hit, to a recipient in the first round. */
export type NewMessage = Omit<RuleMessage, 'ruleHitId' | 'createDate' | 'updateDate' | 'step'>;

/** The size of the hit id range for each customer. Ids have no gaps within the range. */
const IDS_PER_CUSTOMER = 2 ** 32;
/** Returns the id before a customer's first hit. */
export const idBeforeFirst = (customerId: number): number => customerId * IDS_PER_CUSTOMER;

export const customerOfHit = (hitId: number): number => Math.floor(hitId / IDS_PER_CUSTOMER);

export const hitsPk = (customerId: number) => items.ruleHit.pk({ customerId });
export const hitRange = (from: number, to: number) =>
  [items.ruleHit.sk({ hitId: Math.max(0, from) }), items.ruleHit.sk({ hitId: Math.max(0, to) })] as const;

/** The minimum number of messages to pack. Fewer take less than 1 KB unpacked. */
const PACKED_FROM = 3;
export const isPacked = ({ messages }: Pick<NewHit, 'messages'>): boolean => messages.length >= PACKED_FROM;

/** A message as stored. A packed message has only the fields that reports change. */
type StoredMessage = Pick<HitMessage, 'sendTryTimes'> & Partial<HitMessage>;

/** A hit as stored. `told`: the packed messages; `messages` then holds only what was reported about them. */
export type StoredHit = Omit<HitItem, 'messages'> & {
  messages: StoredMessage[];
  told?: string;
};

/** Returns the messages in a new hit, packed, as stored. */
export const packedMessages = (messages: NewHit['messages']): Pick<StoredHit, 'messages' | 'told'> => ({
  told: packMessages(messages),
  messages: messages.map(({ sendTryTimes }) => ({ sendTryTimes })),
});

/** Returns the hit stored in an item. */
export const hitOf = <T extends StoredHit>({ told, ...item }: T): Omit<T, 'told' | 'messages'> & HitItem => {
  const fromPacked = told === undefined ? [] : unpackMessages(told);
  const { id: ruleHitId, createDate } = item;
  const defaults = {
    createDate,
    updateDate: createDate,
    ruleHitId,
    publisher: 'webhook' as const,
    wasSend: false,
    step: 0,
  };
  const messages = item.messages.map((message, at) => ({ ...defaults, ...fromPacked[at], ...message }));
  return { ...item, messages } as Omit<T, 'told' | 'messages'> & HitItem;
};
