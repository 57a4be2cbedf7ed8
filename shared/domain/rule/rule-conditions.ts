import type { EventDetails } from '../event/event.ts';
import { isScheduled } from '../time/wall-time.ts';
import type { Rule } from './rule.ts';

type Condition = (rule: Rule, what: EventDetails, time: number, firedAt: number | undefined) => boolean;

/** The conditions for a rule to fire, the cheapest first. */
const conditions = {
  isEnabled: ({ isEnabled }) => isEnabled,
  situation: ({ situation }, what) => situation === what.situation,
  isSilent: (_, { isSilent }) => !isSilent,
  isSimulated: ({ includeSimulated }, { isSimulated }) => includeSimulated || !isSimulated,
  region: ({ regionId }, { region }) => regionId === null || regionId === region?.id,
  schedule: ({ schedule }, _, time) => schedule === null || isScheduled(schedule, time),
  // A late event may be older than the one that fired last.
  rateLimit: ({ rateLimitSeconds }, { newFall }, time, firedAt) =>
    newFall || firedAt === undefined || Math.abs(time - firedAt) >= rateLimitSeconds * 1_000,
} as const satisfies Record<string, Condition>;
export type WhyNot = keyof typeof conditions;

/**
 * Does a rule fire for an event? Its scope (sensor, group, customer) is not checked here: rules are looked up by it.
 */
export const fires: Condition = (...given) => Object.values(conditions).every((holds) => holds(...given));

/** Gives the names of the conditions that prevent a rule from firing. The list is empty if it fires. */
export const whyNot = (...given: Parameters<Condition>): WhyNot[] =>
  (Object.keys(conditions) as WhyNot[]).filter((name) => !conditions[name](...given));
