import type { Decided } from '#shared/domain/event/decision.ts';
import type { Feedback } from '#shared/domain/event/feedback.ts';
import type { Acknowledgement } from '#shared/domain/rule/acknowledgement-view.ts';
import type { Escalation } from '#shared/domain/rule/escalation.ts';
import { packMessages, unpackMessages } from '#shared/domain/rule/packed-messages.ts';
import type { HitNumber, RuleHit, RuleMessage } from '#shared/domain/rule/rule-hit.ts';
import { items } from '../table.ts';

/** A hit as the store gives it. `sensor` is looked up when it is read; `allSend` follows from the messages. */
export type HitItem = Omit<
  RuleHit,
  'sensor' | 'feedback' | 'acknowledgement' | 'allSend' | 'ruleMessages' | 'nobodyOnDuty'
> & {
  messages: RuleMessage[];
  /** The newest, kept in step by feedback.ts. */
  feedback?: Feedback | null;
  /** Whoever was on duty was to be told, and nobody was. */
  nobodyOnDuty?: true;
  /** Missing until somebody takes care of it: acknowledgements.ts. */
  acknowledgement?: Acknowledgement;
  /** Its event was simulated, and a rule that tells of those fired. It is missing otherwise. */
  isSimulated?: true;
  /** It keeps the place of a hit that was erased, for ids have no gaps, and is shown to nobody: subject-items.ts. */
  isErased?: true;
  /** Its last change is among the late ones: late-change.ts. */
  isLate?: true;
  /** While the escalation of its rule goes on: how far it has come, and the event that is told. escalations.ts. */
  escalation?: Escalation;
  cause?: Cause;
  duePk?: string;
  dueAt?: string;
};
/** The event of a hit, as it was decided. */
type Cause = Omit<Decided, 'rules' | 'requestId'>;

/** A hit that has no place yet: its id and dates, and those of its messages, follow from where it is appended. */
export type NewHit = Omit<HitItem, 'id' | 'createDate' | 'updateDate' | 'messages' | 'escalation'> & {
  messages: NewMessage[];
  numbered: HitNumber;
  /** The escalation of a hit that is made at a time (ms). */
  escalates?: (createDate: number) => Escalation | null;
};
/** A message of a new hit: who is told first. */
export type NewMessage = Omit<RuleMessage, 'ruleHitId' | 'createDate' | 'updateDate' | 'step'>;

/** Ids of one customer's hits are dense: this many of them before those of the next customer. */
const IDS = 2 ** 32;
/** The place before the first hit of a customer. */
export const firstId = (customerId: number): number => customerId * IDS;

export const customerOfHit = (hitId: number): number => Math.floor(hitId / IDS);

export const pkOf = (customerId: number) => items.ruleHit.pk({ customerId });
export const between = (from: number, to: number) =>
  [items.ruleHit.sk({ hitId: Math.max(0, from) }), items.ruleHit.sk({ hitId: Math.max(0, to) })] as const;

/** From so many messages on they are packed. Fewer are below a kilobyte as they are. */
const PACKED_FROM = 3;
export const isLong = ({ messages }: Pick<NewHit, 'messages'>): boolean => messages.length >= PACKED_FROM;

/** A message as it is stored; of a packed one, what was reported of it. */
type StoredMessage = Pick<RuleMessage, 'sendTryTimes'> & Partial<RuleMessage>;

/** A hit as it is stored. Where its messages are packed in `told`, `messages` has only what was reported of each. */
export type StoredHit = Omit<HitItem, 'messages'> & {
  messages: StoredMessage[];
  told?: string;
};

/** The part of a new hit that names its messages, as it is stored. */
export const packed = (messages: NewHit['messages']): Pick<StoredHit, 'messages' | 'told'> => ({
  told: packMessages(messages),
  messages: messages.map(({ sendTryTimes }) => ({ sendTryTimes })),
});

/** The hit that an item of the table is. */
export const unpacked = <T extends StoredHit>({ told, ...item }: T): Omit<T, 'told' | 'messages'> & HitItem => {
  const names = told === undefined ? [] : unpackMessages(told);
  const { id: ruleHitId, createDate } = item;
  const plain = {
    createDate,
    updateDate: createDate,
    ruleHitId,
    publisher: 'webhook' as const,
    wasSend: false,
    step: 0,
  };
  const messages = item.messages.map((message, at) => ({ ...plain, ...names[at], ...message }));
  return { ...item, messages } as Omit<T, 'told' | 'messages'> & HitItem;
};
