import type { Recipient } from './recipient.ts';
import type { NotificationPlan } from './recipients.ts';
import type { RuleMessage } from './rule-hit.ts';

/** The maximum number of repeats to all recipients after the last step. */
export const MAX_REPEATS = 20;

/**
 * Once a hit has this many messages, further steps add none, although their recipients are still notified: an item must
 * not exceed 400 KB, and each delivery result writes the whole hit.
 */
export const MAX_HIT_MESSAGES = 300;

export type Kind = 'step' | 'repeat';
/** The escalation progress for a hit. */
export type Escalation = {
  /** The number of rounds decided so far. Delivery ids are derived from the round number. */
  round: number;
  /** `afterSeconds` in the last step; 0 before the first step. */
  after: number;
  /** The number of repeats to all recipients so far. */
  repeats: number;
  /** When (ms) the next round is due; for an open round, when it was due. */
  at: number;
  /** The time (ms) from which steps are counted, if the hit date was in the future when the clock was set back. */
  from?: number;
  /** The last round has been decided, but its deliveries to the receivers in `to` may not be queued yet. */
  open?: Kind;
  to?: string[];
  /** The next step is due immediately: the last round reached no one, for example because no one was on duty. */
  isHurried?: true;
  /** All rounds have been sent. At `at`, the alarm counts as unanswered. */
  isLast?: true;
};

/** One round: a step in the rule, or a repeat to all recipients. */
export type Round = { kind: Kind; after: number; at: number };
type Progress = Pick<Escalation, 'after' | 'repeats' | 'at' | 'from' | 'isHurried'>;

export const roundAfter = (
  { escalation, repeatSeconds }: NotificationPlan,
  { after, repeats, at, from, isHurried }: Progress,
  createDate: number,
  repeatAt: (ms: number) => number,
): Round | null => {
  const step = escalation.find(({ afterSeconds }) => afterSeconds > after);
  const stepAt = (from ?? createDate) + (step?.afterSeconds ?? 0) * 1_000;
  if (step) return { kind: 'step', after: step.afterSeconds, at: isHurried ? Math.min(at, stepAt) : stepAt };
  if (repeatSeconds === null || repeats >= MAX_REPEATS) return null;
  return { kind: 'repeat', after, at: repeatAt(repeatSeconds * 1_000) };
};

/** Returns an escalation that is waiting for the next round. */
export const waitingFor = (
  round: number,
  { repeats, from, isHurried }: Progress,
  next: Round,
  after: number,
): Escalation => ({
  round,
  after,
  repeats,
  at: next.at,
  ...(from && { from }),
  ...(isHurried && next.kind === 'step' && { isHurried }),
});

/**
 * Returns the escalation for a hit created at `createDate` (ms); null if the rule does not escalate. `isHurried`: the
 * first recipients are the users on duty, but there are none.
 */
export const newEscalation = (rule: NotificationPlan, createDate: number, isHurried = false): Escalation | null => {
  const progress = { after: 0, repeats: 0, at: createDate, ...(isHurried && { isHurried: true as const }) };
  const first = roundAfter(rule, progress, createDate, (ms) => createDate + ms);
  return first && waitingFor(0, progress, first, 0);
};

/** Returns the next round according to the current rule; null if there is none. */
export const nextRound = (rule: NotificationPlan, escalation: Escalation, createDate: number): Round | null =>
  roundAfter(rule, escalation, createDate, () => escalation.at);

/** Returns the recipients in a round according to the current rule, by step. Step 0 stands for the first recipients. */
export const roundRecipients = (
  { recipients, escalation }: NotificationPlan,
  open: Kind,
  after: number,
): { step: number; recipients: readonly Recipient[] }[] => {
  const steps = escalation.flatMap((step, index) =>
    (open === 'step' ? step.afterSeconds === after : step.afterSeconds <= after)
      ? [{ step: index + 1, recipients: step.recipients }]
      : [],
  );
  return open === 'step' ? steps : [{ step: 0, recipients }, ...steps];
};

type Addressee = Pick<RuleMessage, 'accountId' | 'publisher' | 'step'>;
/**
 * Returns the index of each addressee's message in a hit; null for addressees without a message. Two messages in one
 * step may be for the same bot, if it has two webhooks.
 */
export const messageIndexes = (messages: readonly Addressee[], addressees: readonly Addressee[]): (number | null)[] => {
  const used = new Set<number>();
  return addressees.map(({ step, accountId, publisher }) => {
    const found = messages.findIndex(
      (message, index) =>
        message.step === step && message.accountId === accountId && message.publisher === publisher && !used.has(index),
    );
    used.add(found);
    return found < 0 ? null : found;
  });
};

/** The longest delay (ms) for a queued task. */
const MAX_QUEUE_DELAY = 900_000;
/** The sweep first checks a distant round this long (ms) before it is due, so that it is queued in time. */
const LEAD = 600_000;

/** Whether a round is due soon enough for a queue to delay its task until then. */
export const isWithinQueueDelay = (at: number, now: number): boolean => at - now <= MAX_QUEUE_DELAY;
/** Returns when (ms) the sweep first checks a round that is due at `at` (ms). */
export const sweepCheckAt = (at: number, now: number): number => (isWithinQueueDelay(at, now) ? at : at - LEAD);
