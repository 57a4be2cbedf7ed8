import type { OnDuty, RosterPerson, Rule } from '#openapi';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { type Shift, shiftsOn } from '#shared/domain/people/shifts.ts';
import { isUrgent } from '#shared/domain/rule/alarm.ts';
import { dayAfter, startOfDay } from '#shared/domain/time/calendar.ts';
import { scheduleChanges } from '#shared/domain/time/clock-times.ts';
import { isScheduled } from '#shared/domain/time/wall-time.ts';

/**
 * The coverage of a span: someone on duty can be reached; no one has to be on duty; or a rule notifies the people on
 * duty, but no one is on duty, or no one on duty can be reached.
 */
type Coverage = 'covered' | 'free' | 'nobody' | 'unreachable';
/** A time span (ms), up to but not including `to`. */
export type Span = { from: number; to: number; coverage: Coverage };

type Channel = RosterPerson['reachableBy'][number];
/** A rule that notifies the people on duty about something urgent, and the channels used. */
type DutyRule = Pick<Rule, 'name' | 'schedule'> & { channels: readonly Channel[] };

/** Returns the enabled rules for urgent situations that notify the people on duty, in the first or a later step. */
export const dutyRules = (rules: readonly Rule[]): DutyRule[] =>
  rules.flatMap(({ name, schedule, isEnabled, situation, recipients, escalation = [] }) => {
    const all = [...recipients, ...escalation.flatMap((step) => step.recipients)];
    const channels = all.flatMap((recipient) => ('onDuty' in recipient ? [recipient.by] : []));
    return isEnabled && isUrgent(situation) && channels.length > 0 ? [{ name, schedule, channels }] : [];
  });

type Plan = {
  roster: readonly RosterEntry[];
  timeZone: string;
  people: readonly RosterPerson[];
  rules: readonly DutyRule[];
  /** Who is on duty at `now` (ms). Users can go on and off duty themselves. */
  onDuty: readonly OnDuty[];
  now: number;
};

/** Returns the shifts on the given days, adjusted for users who have gone on or off duty themselves. */
const shiftsIn = (days: readonly string[], { roster, timeZone, onDuty, now }: Plan): Shift[] => {
  const isOnDuty = ({ userId }: Shift): boolean => onDuty.some((user) => user.userId === userId);
  const isNow = ({ start, end }: Shift): boolean => start <= now && now < end;
  const planned = shiftsOn([dayAfter(days[0] ?? '', -1), ...days], { roster, timeZone }).map((shift) =>
    isNow(shift) && !isOnDuty(shift) ? { ...shift, end: now } : shift,
  );
  return [...planned, ...onDuty.map(({ userId, until }) => ({ userId, start: now, end: until }))];
};

const coverageAt = (time: number, shifts: readonly Shift[], { people, rules }: Plan): Coverage => {
  const present = shifts.filter(({ start, end }) => start <= time && time < end);
  const needed = rules.filter(({ schedule }) => schedule === null || isScheduled(schedule, time));
  if (needed.length === 0) return present.length > 0 ? 'covered' : 'free';
  if (present.length === 0) return 'nobody';
  const channels = needed.flatMap((rule) => rule.channels);
  const isReachable = ({ userId }: Shift): boolean =>
    people.some((person) => person.userId === userId && person.reachableBy.some((by) => channels.includes(by)));
  return present.some(isReachable) ? 'covered' : 'unreachable';
};

/** Returns the coverage of consecutive days, in adjoining spans. */
export const coverageOf = (days: readonly string[], plan: Plan): Span[] => {
  const begin = startOfDay(days[0] ?? '', plan.timeZone);
  const end = startOfDay(dayAfter(days.at(-1) ?? ''), plan.timeZone);
  const shifts = shiftsIn(days, plan);
  const schedules = plan.rules.flatMap(({ schedule }) => schedule ?? []);
  const changes = days.flatMap((day) =>
    schedules.flatMap((schedule) => scheduleChanges(schedule, startOfDay(day, plan.timeZone) - 1)),
  );
  const times = [...changes, ...shifts.flatMap((shift) => [shift.start, shift.end])];
  const points = [...new Set([begin, ...times, end])]
    .filter((time) => begin <= time && time <= end)
    .toSorted((a, b) => a - b);
  const spans: Span[] = [];
  for (const [at, from] of points.slice(0, -1).entries()) {
    const to = points[at + 1] ?? end;
    const coverage = coverageAt(from, shifts, plan);
    const last = spans.at(-1);
    if (last?.coverage === coverage) last.to = to;
    else spans.push({ from, to, coverage });
  }
  return spans;
};

/** Returns the spans, starting now, in which a rule for the people on duty reaches no one. */
export const gapsIn = (spans: readonly Span[], now: number): Span[] =>
  spans
    .filter(({ to, coverage }) => to > now && (coverage === 'nobody' || coverage === 'unreachable'))
    .map((span) => ({ ...span, from: Math.max(span.from, now) }));

/** Returns the parts of the spans that lie between two times (ms). */
export const spansBetween = (spans: readonly Span[], from: number, to: number): Span[] =>
  spans
    .filter((span) => span.from < to && span.to > from)
    .map((span) => ({ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }));
