import type { OnDuty, RosterPerson } from '#openapi';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { shiftsOn } from '#shared/domain/people/shifts.ts';
import type { Span } from './coverage.ts';
import type { Chosen } from './edit-shift.tsx';
import type { Shift } from './entries.ts';
import type { Week } from './week.ts';

/** The content for both views of the roster: the table, and the list by day. */
export type RosterView = {
  people: readonly RosterPerson[];
  entries: readonly RosterEntry[];
  week: Week;
  timeZone: string;
  spans: readonly Span[];
  onDuty: readonly OnDuty[];
  now: number;
  /** Opens a shift or a day off; null for users who may not change the roster. */
  onChoose: ((chosen: Chosen) => void) | null;
};

/** Whether a shift is in progress and its user is on duty. */
export const isNow = ({ userId, date, from, to }: Shift, { onDuty, now, timeZone }: RosterView): boolean =>
  onDuty.some((user) => user.userId === userId) &&
  shiftsOn([date], { roster: [{ userId, date, from, to }], timeZone }).some(
    ({ start, end }) => start <= now && now < end,
  );
