import * as z from 'zod';
import { By } from '../rule/recipient.ts';
import { isFuture } from '../state/clock.ts';
import { dayAfter } from '../time/calendar.ts';
import { wallTime } from '../time/wall-time.ts';
import { id, int64, millis } from '../values.ts';
import type { ChannelKind, KeptChannel } from './channel.ts';
import { type DutyPlan, type Shift, shiftsOn } from './shifts.ts';

/** The longest time (ms) for which users can put themselves on duty. */
export const MAX_DUTY = 24 * 3_600_000;

const reachableBy = z.array(By).meta({
  description: "the user's verified channels this service can send through, without undeliverable ones",
});

export const DutyUpdate = z
  .object({ until: int64.meta({ description: 'ms; at most 24 hours ahead' }) })
  .meta({ id: 'DutyUpdate', examples: [{ until: 1_800_000_000_000 }] });
export const Duty = DutyUpdate.extend({ reachableBy }).meta({ id: 'Duty' });

const source = z.enum(['self', 'roster']).meta({
  description: 'self: the user went on duty; roster: a roster shift. If both apply, the one that ends later',
});
export const OnDutyView = z
  .object({ userId: id, name: z.string(), until: millis, source, reachableBy })
  .meta({ id: 'OnDuty' });
export type OnDutyView = z.output<typeof OnDutyView>;

/** A user who may appear in the roster, and the channels that reach them. */
export const RosterPerson = z.object({ userId: id, name: z.string(), reachableBy }).meta({ id: 'RosterPerson' });

/** A user on duty until the given time (ms). */
export type OnDuty = { userId: number; until: number; source: z.output<typeof source> };

/**
 * Returns the shifts that may include the given time (ms) or begin within a day of it, except shifts that users ended
 * early. If a user ended a shift before the clock was set back, there is no way to know which shift it was. In that
 * case, no shift counts as ended, so that no user on duty is left out.
 */
const shiftsAround = (plan: DutyPlan, time: number): Shift[] => {
  const ended = plan.own.filter(({ offSince = 0 }) => !isFuture(offSince, time));
  const offSince = new Map(ended.map((own) => [own.userId, own.offSince]));
  const today = wallTime(time, plan.timeZone).date;
  const days = [-1, 0, 1].map((count) => dayAfter(today, count));
  return shiftsOn(days, plan).filter(({ userId, start }) => start > (offSince.get(userId) ?? 0));
};

/** Returns the users on duty at the given time (ms), sorted by id. Each is listed once, with the latest end. */
export const usersOnDuty = (plan: DutyPlan, time: number): OnDuty[] => {
  const bySelf = plan.own.map(({ userId, until = 0 }): OnDuty => ({ userId, until, source: 'self' }));
  const byRoster = shiftsAround(plan, time)
    .filter(({ start }) => start <= time)
    .map(({ userId, end }): OnDuty => ({ userId, until: end, source: 'roster' }));
  const longest = new Map<number, OnDuty>();
  for (const duty of [...bySelf, ...byRoster])
    if (duty.until > Math.max(time, longest.get(duty.userId)?.until ?? 0)) longest.set(duty.userId, duty);
  return [...longest.values()].toSorted((a, b) => a.userId - b.userId);
};

/** Returns the times (ms) at which someone goes on or off duty within about a day after `time`. */
export const dutyChanges = (plan: DutyPlan, time: number): number[] => {
  const shifts = shiftsAround(plan, time).flatMap(({ start, end }) => [start, end]);
  return [...plan.own.flatMap(({ until }) => until ?? []), ...shifts].filter((change) => change > time);
};

/** Returns the verified channels that can reach a person. */
export const reachingChannels = (channels: readonly KeptChannel[]): ChannelKind[] =>
  channels
    .filter(({ provenDate, undeliverableDate }) => provenDate !== null && undeliverableDate === undefined)
    .map(({ by }) => by);
