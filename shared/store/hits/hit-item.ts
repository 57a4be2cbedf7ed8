import type { Decided } from '#shared/domain/event/decision.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { FallClosure, NotedAcknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Escalation } from '#shared/domain/rule/escalation.ts';
import type { HitNumber } from '#shared/domain/rule/hit-position.ts';
import { packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import type { RuleHit, RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { items } from '../table.ts';

/** A message of a hit. `outbox`: it was only written to a file, and reached nobody. */
type HitMessage = RuleMessage & { outbox?: true };

/** A hit as the store returns it. `sensor` is looked up when a hit is read; `allSend` follows from the messages. */
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
   * When (ms) the first message succeeded. Absent if none succeeded, or if all that did were later reported
   * undeliverable.
   */
  notifiedDate?: number;
  /** The alarm reached nobody in time (unnotified.ts). */
  isUnnotified?: true;
  /** When (ms) the alarm was found to be unacknowledged although all of its rounds had been sent (unnotified.ts). */
  unansweredDate?: number;
  /** The newest feedback, kept up to date by feedback.ts. */
  feedback?: Feedback | null;
  /** The users on duty should have been notified, but nobody was on duty. */
  nobodyOnDuty?: true;
  /** Absent until somebody acknowledges the hit (acknowledgements.ts). */
  acknowledgement?: NotedAcknowledgement;
  /** Absent until somebody closes its fall (falls.ts). */
  closure?: FallClosure;
  /** The key of the fall that its event is about. */
  fall?: string;
  /** The event was simulated, and a rule that includes simulated events fired. */
  isSimulated?: true;
  /** Takes the place of an erased hit, because ids have no gaps. Shown to nobody (erasure-rules.ts). */
  isErased?: true;
  /** Set if `createDate` is earlier than the date of a previous hit (rule-hit.ts). */
  orderDate?: number;
  /** The last change is recorded as a late one (late-change.ts). */
  isLate?: true;
  /** The progress of a running escalation, and its event (escalations.ts). */
  escalation?: Escalation;
  cause?: Cause;
  duePk?: string;
  dueAt?: string;
};
/** The event of a hit, as in the decision. */
type Cause = Omit<Decided, 'rules' | 'requestId' | 'fall'>;

/** A hit without a place: its id and dates, and those of its messages, depend on where it is appended. */
export type NewHit = Omit<HitItem, 'id' | 'createDate' | 'updateDate' | 'orderDate' | 'messages' | 'escalation'> & {
  messages: NewMessage[];
  hitNumber: HitNumber;
  /** Returns the escalation of the hit if it is created at `createDate` (ms). */
  escalationAt?: (createDate: number) => Escalation | null;
};
/** A message of a new hit, to a recipient of the first round. */
export type NewMessage = Omit<RuleMessage, 'ruleHitId' | 'createDate' | 'updateDate' | 'step'>;

/** The size of the range of ids that each customer has for its hits. Within it, ids have no gaps. */
const IDS_PER_CUSTOMER = 2 ** 32;
/** The id before the first hit of a customer. */
export const idBeforeFirst = (customerId: number): number => customerId * IDS_PER_CUSTOMER;

export const customerOfHit = (hitId: number): number => Math.floor(hitId / IDS_PER_CUSTOMER);

export const hitsPk = (customerId: number) => items.ruleHit.pk({ customerId });
export const hitRange = (from: number, to: number) =>
  [items.ruleHit.sk({ hitId: Math.max(0, from) }), items.ruleHit.sk({ hitId: Math.max(0, to) })] as const;

/** The minimum number of messages that are packed. Fewer take less than 1 KB unpacked. */
const PACKED_FROM = 3;
export const isPacked = ({ messages }: Pick<NewHit, 'messages'>): boolean => messages.length >= PACKED_FROM;

/** A message as it is stored. A packed one has only the fields that reports change. */
type StoredMessage = Pick<HitMessage, 'sendTryTimes'> & Partial<HitMessage>;

/** A hit as it is stored. `told`: the packed messages; `messages` then has only what was reported about them. */
export type StoredHit = Omit<HitItem, 'messages'> & {
  messages: StoredMessage[];
  told?: string;
};

/** Returns the messages of a new hit as they are stored, packed. */
export const packedMessages = (messages: NewHit['messages']): Pick<StoredHit, 'messages' | 'told'> => ({
  told: packMessages(messages),
  messages: messages.map(({ sendTryTimes }) => ({ sendTryTimes })),
});

/** Returns the hit that an item holds. */
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
