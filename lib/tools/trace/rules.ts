import { type EventDetails, eventOf, type Situation, unknownEvent } from '#shared/domain/event/event.ts';
import type { Signal } from '#shared/domain/event/message.ts';
import { kinds } from '#shared/domain/kinds.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { type UnmetCondition, unmetConditions } from '#shared/domain/rule/rule-conditions.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';
import type { EventItem } from '#shared/store/sensors/events.ts';

/**
 * An event as rules see it. `isExact` is false if it was reconstructed from the stored event, which contains neither
 * the region nor whether it was a new fall.
 */
export type RuleInput = { what: EventDetails; isExact: boolean };

/** Whether and why a rule fired for an event, according to the current version of the rule. */
export type Verdict = { ruleId: number; name: string; fired: boolean; reasons: string[] };

/**
 * Reconstructs an event whose decision is no longer stored: the type and action, and whether it was simulated or marked
 * as silent.
 */
export const reconstructRuleInput = ({ type, action }: EventItem, signal: Signal | null): RuleInput => {
  const situation = (Object.keys(kinds) as Situation[]).find(
    (name) => kinds[name].type === type && kinds[name].action === action,
  );
  const { isSimulated, isSilent } = signal?.kind === 'fall' ? signal : { isSimulated: false, isSilent: false };
  const what = situation ? eventOf(situation, { isSimulated, isSilent }) : { ...unknownEvent, type, action };
  return { what, isExact: false };
};

/** Returns why a rule does not apply to this sensor. Empty if it does. */
const otherScope = ({ sensorId, sensorGroupId }: Rule, sensor: { id: string; groupId: number }): string[] => {
  if (sensorId !== null && sensorId !== sensor.id) return [`it applies to sensor ${sensorId}`];
  if (sensorGroupId === null || sensorGroupId === sensor.groupId) return [];
  const group = sensor.groupId > 0 ? `in group ${sensor.groupId}` : 'in no group';
  return [`it applies to group ${sensorGroupId}, but the sensor is ${group} now`];
};

const days = ['', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Case = { rule: Rule; seen: RuleInput; createDate: number; firedAt: number | undefined };

const wrongRegion = ({ rule, seen: { what, isExact } }: Case): string => {
  const scope = `it applies only to region ${rule.regionId}`;
  if (!isExact) return `${scope}, and the region of an event is stored only until the sensor's next decision`;
  return `${scope}, but the event was in ${what.region ? `${what.region.name} (${what.region.id})` : 'no region'}`;
};

const sentences: Readonly<Record<UnmetCondition, (facts: Case) => string>> = {
  isEnabled: () => 'it is disabled',
  situation: ({ rule }) => `it is for ${rule.situation}`,
  isSilent: () => 'the report is marked as silent',
  isSimulated: () => 'the fall was simulated, and the rule ignores simulations',
  region: wrongRegion,
  schedule: ({ rule: { schedule }, createDate }) => {
    const { weekday, clock } = wallTime(createDate, schedule?.timeZone ?? 'UTC');
    const hours = `${schedule?.from} to ${schedule?.to} on days ${schedule?.days.join(', ')}`;
    return `its schedule is ${hours}, but it was ${days[weekday]} ${clock} in ${schedule?.timeZone}`;
  },
  rateLimit: ({ rule, seen, createDate, firedAt = 0 }) => {
    const gap = Math.round(Math.abs(createDate - firedAt) / 1_000);
    const unless = seen.isExact ? '' : ', unless this was the first report of a new fall';
    return `it fired for another event within ${gap} s, and its rate limit is ${rule.rateLimitSeconds} s${unless}`;
  },
};

const iso = (time: number) => new Date(time).toISOString();

/**
 * Returns a note if a rule was created or changed after the event, which means that the current version was not the one
 * applied.
 */
const changedSince = ({ createDate, updateDate }: Rule, { receiveDate }: EventItem): string[] => {
  if (createDate > receiveDate) return [`it was created at ${iso(createDate)}, after the event`];
  return updateDate > receiveDate ? [`it was changed at ${iso(updateDate)}, after the event`] : [];
};

type VerdictInput = {
  event: EventItem;
  seen: RuleInput;
  sensor: { id: string; groupId: number };
  /** The ids of rules known to have fired. */
  fired: ReadonlySet<number>;
  /** The time (ms) of the most recent earlier event for which each rule fired. */
  firedAt: ReadonlyMap<number, number>;
};

/**
 * Explains why a rule did or did not fire, as far as the stored data shows. Uses the rule's current version. If that
 * version is newer than the event, the reasons say so.
 */
export const verdictOf = (rule: Rule, { event, seen, sensor, fired, firedAt }: VerdictInput): Verdict => {
  const { id: ruleId, name } = rule;
  const { createDate } = event;
  const changed = changedSince(rule, event);
  if (fired.has(ruleId)) return { ruleId, name, fired: true, reasons: changed };
  const last = firedAt.get(ruleId);
  const facts: Case = { rule, seen, createDate, firedAt: last };
  const conditions = unmetConditions(rule, seen.what, event, last).map((reason) => sentences[reason](facts));
  const why = [...otherScope(rule, sensor), ...conditions];
  if (why.length > 0) return { ruleId, name, fired: false, reasons: [...why, ...changed] };
  const unknown = changed.length > 0 ? [] : ['the stored data does not show why: its hit may have expired'];
  return { ruleId, name, fired: false, reasons: ['its current version would fire', ...changed, ...unknown] };
};
