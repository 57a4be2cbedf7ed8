import { type EventDetails, eventOf, type Situation, unknownEvent } from '#shared/domain/event/event.ts';
import type { Signal } from '#shared/domain/event/message.ts';
import { kinds } from '#shared/domain/kinds.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { type WhyNot, whyNot } from '#shared/domain/rule/rule-conditions.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';
import type { EventItem } from '#shared/store/sensors/events.ts';

/**
 * An event as rules see it. `isExact` is false when it was reconstructed from the stored event, without region and
 * `newFall`.
 */
export type RuleInput = { what: EventDetails; isExact: boolean };

/** The result of a rule for an event, with the reasons, judged by the present version of the rule. */
export type Verdict = { ruleId: number; name: string; fired: boolean; why: string[] };

/**
 * Reconstructs what rules saw of an event whose decision is no longer stored: its kind, and whether it was simulated
 * or silent.
 */
export const seenFrom = ({ type, action }: EventItem, signal: Signal | null): RuleInput => {
  const situation = (Object.keys(kinds) as Situation[]).find(
    (name) => kinds[name].type === type && kinds[name].action === action,
  );
  const { isSimulated, isSilent } = signal?.kind === 'fall' ? signal : { isSimulated: false, isSilent: false };
  const what = situation ? eventOf(situation, { isSimulated, isSilent }) : { ...unknownEvent, type, action };
  return { what, isExact: false };
};

/** Gives the scope of a rule that doesn't include this sensor; empty when it does. */
const otherScope = ({ sensorId, sensorGroupId }: Rule, sensor: { id: string; groupId: number }): string[] => {
  if (sensorId !== null && sensorId !== sensor.id) return [`it is for the sensor ${sensorId}`];
  if (sensorGroupId === null || sensorGroupId === sensor.groupId) return [];
  const group = sensor.groupId > 0 ? `in group ${sensor.groupId}` : 'in no group';
  return [`it is for the group ${sensorGroupId}, and the sensor is ${group} now`];
};

const days = ['', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Case = { rule: Rule; seen: RuleInput; createDate: number; firedAt: number | undefined };

const wrongRegion = ({ rule, seen: { what, isExact } }: Case): string => {
  const watched = `it watches the region ${rule.regionId} alone`;
  if (!isExact) return `${watched}, and the region of an event is kept only until the sensor's next decision`;
  return `${watched}, and this was ${what.region ? `in ${what.region.name} (${what.region.id})` : 'in none'}`;
};

const sentences: Readonly<Record<WhyNot, (facts: Case) => string>> = {
  isEnabled: () => 'it is switched off',
  situation: ({ rule }) => `it watches ${rule.situation}`,
  isSilent: () => 'the report was a silent one',
  isSimulated: () => 'the fall was simulated, and the rule leaves those out',
  region: wrongRegion,
  schedule: ({ rule: { schedule }, createDate }) => {
    const { weekday, clock } = wallTime(createDate, schedule?.timeZone ?? 'UTC');
    const hours = `${schedule?.from} to ${schedule?.to} on days ${schedule?.days.join(', ')}`;
    return `its schedule is ${hours}, and it was ${days[weekday]} ${clock} in ${schedule?.timeZone}`;
  },
  rateLimit: ({ rule, seen, createDate, firedAt = 0 }) => {
    const gap = Math.round(Math.abs(createDate - firedAt) / 1_000);
    const unless = seen.isExact ? '' : ', unless this was the first report of a new fall';
    return `it fired for an event ${gap} s away, and its rate limit is ${rule.rateLimitSeconds} s${unless}`;
  },
};

const iso = (time: number) => new Date(time).toISOString();

/**
 * Gives a sentence when a rule was created or changed after the event, so that another version of it, or none, was
 * applied.
 */
const changedSince = ({ createDate, updateDate }: Rule, { receiveDate }: EventItem): string[] => {
  if (createDate > receiveDate) return [`it was made at ${iso(createDate)}, after the event`];
  return updateDate > receiveDate ? [`it was changed at ${iso(updateDate)}, after the event`] : [];
};

type Given = {
  event: EventItem;
  seen: RuleInput;
  sensor: { id: string; groupId: number };
  /** The ids of the rules that are known to have fired. */
  fired: ReadonlySet<number>;
  /** When (ms) the previous event happened for which each rule fired. */
  firedAt: ReadonlyMap<number, number>;
};

/**
 * Explains why a rule fired or not, as far as the stored data shows. The present version of the rule is used; when it
 * is newer than the event, the reasons say so.
 */
export const verdictOf = (rule: Rule, { event, seen, sensor, fired, firedAt }: Given): Verdict => {
  const { id: ruleId, name } = rule;
  const { createDate } = event;
  const changed = changedSince(rule, event);
  if (fired.has(ruleId)) return { ruleId, name, fired: true, why: changed };
  const last = firedAt.get(ruleId);
  const facts: Case = { rule, seen, createDate, firedAt: last };
  const against = whyNot(rule, seen.what, createDate, last).map((reason) => sentences[reason](facts));
  const why = [...otherScope(rule, sensor), ...against];
  if (why.length > 0) return { ruleId, name, fired: false, why: [...why, ...changed] };
  const unknown = changed.length > 0 ? [] : ['nothing that is kept says why: its hit may have expired'];
  return { ruleId, name, fired: false, why: ['as it is now it would fire', ...changed, ...unknown] };
};
