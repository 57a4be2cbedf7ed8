import type { Recipient } from './recipient.ts';
import type { NotificationPlan } from './recipients.ts';
import type { RuleMessage } from './rule-hit.ts';

/** The largest number of repeats to all recipients after the last step. */
export const MAX_REPEATS = 20;

/**
 * Once a hit has this many messages, further steps add no messages, although they still notify their recipients: an
 * item must not exceed 400 KB, and each delivery result writes the whole hit.
 */
export const MAX_HIT_MESSAGES = 300;

export type Kind = 'step' | 'repeat';
/** The progress of the escalation of a hit. */
export type Escalation = {
  /** The number of rounds decided so far. The ids of a round's deliveries are derived from its number. */
  round: number;
  /** `afterSeconds` of the last step; 0 before the first step. */
  after: number;
  /** The number of repeats to all recipients so far. */
  repeats: number;
  /** When (ms) the next round is due; for an open round, when it was due. */
  at: number;
  /** The date (ms) from which the steps count, if the date of the hit was in the future when the clock was set back. */
  from?: number;
  /** The last round is decided, but its deliveries to the receivers `to` may not be queued yet. */
  open?: Kind;
  to?: string[];
  /** The next step is due at once: the last round reached nobody, for example because nobody was on duty. */
  isHurried?: true;
  /** All rounds were sent. At `at` the alarm counts as unanswered. */
  isLast?: true;
};

/** One round: a step of the rule, or a repeat to all recipients. */
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

/** Returns the escalation, waiting for its next round. */
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
 * Returns the escalation of a hit that was created at `createDate` (ms); null if its rule has no escalation.
 * `isHurried`: its first recipients are the users on duty, but nobody is on duty.
 */
export const newEscalation = (rule: NotificationPlan, createDate: number, isHurried = false): Escalation | null => {
  const progress = { after: 0, repeats: 0, at: createDate, ...(isHurried && { isHurried: true as const }) };
  const first = roundAfter(rule, progress, createDate, (ms) => createDate + ms);
  return first && waitingFor(0, progress, first, 0);
};

/** Returns the next round according to the current rule; null if there is no further round. */
export const nextRound = (rule: NotificationPlan, escalation: Escalation, createDate: number): Round | null =>
  roundAfter(rule, escalation, createDate, () => escalation.at);

/** Returns the recipients of a round according to the current rule, by step; step 0 has the first recipients. */
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
 * Returns the index of each addressee's message in the messages of a hit; null if the addressee has no message yet. Two
 * messages of one step may be for webhooks of the same bot.
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

/** The longest delay (ms) of a task on a queue. */
const MAX_QUEUE_DELAY = 900_000;
/** How long (ms) before a distant round is due the sweep first checks it, so that it is queued in time. */
const LEAD = 600_000;

/** Whether a round is due so soon that a queue can delay its task until then. */
export const isWithinQueueDelay = (at: number, now: number): boolean => at - now <= MAX_QUEUE_DELAY;
/** Returns when (ms) the sweep first checks a round that is due at `at`. */
export const sweepCheckAt = (at: number, now: number): number => (isWithinQueueDelay(at, now) ? at : at - LEAD);
