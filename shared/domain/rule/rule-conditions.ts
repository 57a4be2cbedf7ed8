import type { EventDetails } from '../event/event.ts';
import { isScheduled } from '../time/wall-time.ts';
import { isUrgent } from './alarm.ts';
import type { Rule } from './rule.ts';

/** When (ms) an event happened by its device, and when its cause was received. */
type EventDates = { createDate: number; receiveDate: number };
type Condition = (rule: Rule, event: EventDetails, dates: EventDates, firedAt: number | undefined) => boolean;

/** The conditions for a rule to fire, the cheapest first. */
const conditions = {
  isEnabled: ({ isEnabled }) => isEnabled,
  situation: ({ situation }, event) => situation === event.situation,
  isSilent: (_, { isSilent }) => !isSilent,
  isSimulated: ({ includeSimulated }, { isSimulated }) => includeSimulated || !isSimulated,
  region: ({ regionId }, { region }) => regionId === null || regionId === region?.id,
  // An alarm concerns those who are there when it is received, and the clock of its device may be hours behind.
  schedule: ({ schedule, situation }, _, { createDate, receiveDate }) =>
    schedule === null ||
    isScheduled(schedule, createDate) ||
    (isUrgent(situation) && isScheduled(schedule, receiveDate)),
  // A late event may be older than the one for which the rule last fired.
  rateLimit: ({ rateLimitSeconds }, { newFall }, { createDate }, firedAt) =>
    newFall === true || firedAt === undefined || Math.abs(createDate - firedAt) >= rateLimitSeconds * 1_000,
} as const satisfies Record<string, Condition>;
export type UnmetCondition = keyof typeof conditions;

/** Whether a rule fires for an event. Its scope (sensor, group, customer) is not checked here: rules are looked up by it. */
export const fires: Condition = (...args) => Object.values(conditions).every((holds) => holds(...args));

/** Returns the names of the conditions that prevent a rule from firing. The list is empty if it fires. */
export const unmetConditions = (...args: Parameters<Condition>): UnmetCondition[] =>
  (Object.keys(conditions) as UnmetCondition[]).filter((name) => !conditions[name](...args));
