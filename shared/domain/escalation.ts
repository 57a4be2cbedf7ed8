import { distinct, keyOfRecipient, type Telling } from './recipient.ts';
import type { Recipient } from './rule.ts';
import type { RuleMessage } from './rule-hit.ts';

/** So often at most all recipients are told again after the last step (completion 12 "Escalation"). */
export const MOST_REPEATS = 20;

type Kind = 'step' | 'repeat';
/** How far the escalation of a hit has come. */
export type Escalation = {
  /** How many rounds were decided. The ids of a round's deliveries follow from its number. */
  round: number;
  /** `afterSeconds` of the last step that was taken; 0 before the first one. */
  after: number;
  /** How often all recipients were told again. */
  repeats: number;
  /** When (ms) the next round is due; of an open round, when it was. */
  at: number;
  /** The last round is decided, but maybe not all of its deliveries are on their queue. */
  open?: Kind;
};

/** One round: a step of the rule, or all recipients again. */
type Round = { kind: Kind; after: number; at: number };
type Reached = Pick<Escalation, 'after' | 'repeats'>;

const roundAfter = (
  { escalation = [], repeatSeconds = null }: Telling,
  { after, repeats }: Reached,
  createDate: number,
  repeatAt: (ms: number) => number,
): Round | null => {
  const step = escalation.find(({ afterSeconds }) => afterSeconds > after);
  if (step) return { kind: 'step', after: step.afterSeconds, at: createDate + step.afterSeconds * 1_000 };
  if (repeatSeconds === null || repeats >= MOST_REPEATS) return null;
  return { kind: 'repeat', after, at: repeatAt(repeatSeconds * 1_000) };
};

/** The escalation of a hit that was made at a time (ms); null when its rule has none. */
export const beginning = (rule: Telling, createDate: number): Escalation | null => {
  const first = roundAfter(rule, { after: 0, repeats: 0 }, createDate, (ms) => createDate + ms);
  return first && { round: 0, after: 0, repeats: 0, at: first.at };
};

/** The round that comes next, by the rule as it is now; null when none does. */
export const nextRound = (rule: Telling, escalation: Escalation, createDate: number): Round | null =>
  roundAfter(rule, escalation, createDate, () => escalation.at);

/** The escalation once a round is decided. */
export const opened = ({ round, repeats }: Escalation, { kind, after, at }: Round): Escalation => ({
  round: round + 1,
  after,
  repeats: kind === 'repeat' ? repeats + 1 : repeats,
  at,
  open: kind,
});

/**
 * The escalation once an open round is carried out at a time (ms); null when it was the last one. What an outage has
 * delayed is told again once, not as often as it would have been.
 */
export const closed = (rule: Telling, escalation: Escalation, createDate: number, now: number): Escalation | null => {
  const { round, after, repeats, at } = escalation;
  const next = roundAfter(rule, escalation, createDate, (ms) => (at + ms > now ? at + ms : now + ms));
  return next && { round, after, repeats, at: next.at };
};

/** A recipient of a round, and the number of its step: 0 for the first recipients. */
export type Target = { step: number; recipient: Recipient };

/** Whom a round tells by the rule as it is now. When all are told again, a recipient may be named by several steps. */
export const targetsOf = ({ recipients, escalation = [] }: Telling, open: Kind, after: number): Target[] => {
  const steps = escalation.flatMap(({ afterSeconds, recipients: some }, at) =>
    (open === 'step' ? afterSeconds === after : afterSeconds <= after)
      ? distinct(some).map((recipient) => ({ step: at + 1, recipient }))
      : [],
  );
  return open === 'step' ? steps : [...distinct(recipients).map((recipient) => ({ step: 0, recipient })), ...steps];
};

/** Each recipient once, by its first target. */
export const onceEach = <T extends Target>(targets: readonly T[]): T[] =>
  [...new Map(targets.toReversed().map((target) => [keyOfRecipient(target.recipient), target])).values()].toReversed();

/**
 * The place of a target's message among those of a hit, in the order of the targets; null when it has none yet: two
 * messages of one step may be for the same account.
 */
export const placesOf = (
  messages: readonly Pick<RuleMessage, 'accountId' | 'step'>[],
  targets: readonly { step: number; accountId: number }[],
): (number | null)[] => {
  const taken = new Set<number>();
  return targets.map(({ step, accountId }) => {
    const at = messages.findIndex(
      (one, place) => one.step === step && one.accountId === accountId && !taken.has(place),
    );
    taken.add(at);
    return at < 0 ? null : at;
  });
};

/** A queue can delay a task by so many ms. */
const LONGEST_DELAY = 900_000;
/** So long (ms) before it is due the sweep looks at what is farther away, to put it on the queue in time. */
const LEAD = 600_000;

/** Is a round so near that a queue can delay its task until then? */
export const isNear = (at: number, now: number): boolean => at - now <= LONGEST_DELAY;
/** From when on (ms) the sweep looks at a round that is due `at`. */
export const lookAt = (at: number, now: number): number => (isNear(at, now) ? at : at - LEAD);
