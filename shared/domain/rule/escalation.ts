import type { Recipient } from './recipient.ts';
import type { Telling } from './recipients.ts';
import type { RuleMessage } from './rule-hit.ts';

/** So often at most all recipients are told again after the last step (completion 12 "Escalation"). */
export const MOST_REPEATS = 20;

/**
 * With so many messages a hit gets no further ones from its steps, which tell all the same: a stored item must not exceed
 * 400 KB, and each report writes the whole hit.
 */
export const MOST_MESSAGES = 300;

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
  /** The last round is decided, but maybe not all of its deliveries are on their queue: those to the receivers `to`. */
  open?: Kind;
  to?: string[];
  /** Nobody was on duty in the last round: the next step is due at once, whatever its time is. */
  isHurried?: true;
};

/** One round: a step of the rule, or all recipients again. */
type Round = { kind: Kind; after: number; at: number };
type Reached = Pick<Escalation, 'after' | 'repeats' | 'at' | 'isHurried'>;

const roundAfter = (
  { escalation, repeatSeconds }: Telling,
  { after, repeats, at, isHurried }: Reached,
  createDate: number,
  repeatAt: (ms: number) => number,
): Round | null => {
  const step = escalation.find(({ afterSeconds }) => afterSeconds > after);
  const own = createDate + (step?.afterSeconds ?? 0) * 1_000;
  if (step) return { kind: 'step', after: step.afterSeconds, at: isHurried ? Math.min(at, own) : own };
  if (repeatSeconds === null || repeats >= MOST_REPEATS) return null;
  return { kind: 'repeat', after, at: repeatAt(repeatSeconds * 1_000) };
};

/** What is kept of the round that comes next. */
const noted = (round: number, { repeats, isHurried }: Reached, next: Round, after: number): Escalation => ({
  round,
  after,
  repeats,
  at: next.at,
  ...(isHurried && next.kind === 'step' && { isHurried }),
});

/**
 * The escalation of a hit that was made at a time (ms); null when its rule has none. `isHurried`: nobody was on duty, whom
 * its first recipients are.
 */
export const beginning = (rule: Telling, createDate: number, isHurried = false): Escalation | null => {
  const reached = { after: 0, repeats: 0, at: createDate, ...(isHurried && { isHurried: true as const }) };
  const first = roundAfter(rule, reached, createDate, (ms) => createDate + ms);
  return first && noted(0, reached, first, 0);
};

/** The round that comes next, by the rule as it is now; null when none does. */
export const nextRound = (rule: Telling, escalation: Escalation, createDate: number): Round | null =>
  roundAfter(rule, escalation, createDate, () => escalation.at);

/** The escalation once a round is decided. `nobodyOnDuty`: it was to tell whoever is, and nobody is. */
export const opened = (
  { round, repeats }: Escalation,
  { kind, after, at }: Round,
  nobodyOnDuty: boolean,
): Escalation & { open: Kind } => ({
  round: round + 1,
  after,
  at,
  open: kind,
  repeats: kind === 'repeat' ? repeats + 1 : repeats,
  ...(nobodyOnDuty && { isHurried: true }),
});

/**
 * The escalation once an open round is carried out at a time (ms); null when it was the last one. What an outage has
 * delayed is told again once, not as often as it would have been.
 */
export const closed = (rule: Telling, escalation: Escalation, createDate: number, now: number): Escalation | null => {
  const { round, after, repeats, at, isHurried } = escalation;
  const reached = { after, repeats, at: now, ...(isHurried && { isHurried }) };
  const next = roundAfter(rule, reached, createDate, (ms) => (at + ms > now ? at + ms : now + ms));
  return next && noted(round, reached, next, after);
};

/** Whom a round tells by the rule as it is now, step by step; 0 is the first recipients. */
export const stepsOf = (
  { recipients, escalation }: Telling,
  open: Kind,
  after: number,
): { step: number; recipients: readonly Recipient[] }[] => {
  const steps = escalation.flatMap(({ afterSeconds, recipients: some }, at) =>
    (open === 'step' ? afterSeconds === after : afterSeconds <= after) ? [{ step: at + 1, recipients: some }] : [],
  );
  return open === 'step' ? steps : [{ step: 0, recipients }, ...steps];
};

type Place = Pick<RuleMessage, 'accountId' | 'publisher' | 'step'>;
/**
 * The place of each addressee's message among those of a hit; null when there is none yet: two messages of one step may be
 * for webhooks of the same bot.
 */
export const placesOf = (messages: readonly Place[], addressees: readonly Place[]): (number | null)[] => {
  const taken = new Set<number>();
  return addressees.map(({ step, accountId, publisher }) => {
    const at = messages.findIndex(
      (message, place) =>
        message.step === step &&
        message.accountId === accountId &&
        message.publisher === publisher &&
        !taken.has(place),
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
