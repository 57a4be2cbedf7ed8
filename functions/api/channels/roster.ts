import type { Call } from '#shared/api/operation.ts';
import type { User } from '#shared/domain/identity/user.ts';
import { currentEntries, MAX_DAYS_AHEAD, type RosterEntry } from '#shared/domain/people/roster.ts';
import { dayAfter } from '#shared/domain/time/calendar.ts';
import type { channels } from './contract.ts';

type SetRoster = Call<(typeof channels)['operations']['setRoster']>;

/** Returns the requested roster as stored, after checking users and days. `today` is in the customer time zone. */
export const checkedRoster = (
  { body, refuse }: Pick<SetRoster, 'body' | 'refuse'>,
  users: readonly Pick<User, 'id' | 'canLogin'>[],
  today: string,
): RosterEntry[] => {
  const canLogin = new Map(users.map((user) => [user.id, user.canLogin]));
  const lastDay = dayAfter(today, MAX_DAYS_AHEAD);
  for (const [at, { userId, date }] of body.entries()) {
    if (!canLogin.has(userId)) return refuse(`${at}.userId`, 'unknown_reference');
    if (!canLogin.get(userId)) return refuse(`${at}.userId`, 'cannot_log_in');
    if (date !== undefined && date > lastDay) return refuse(`${at}.date`, 'maximum', { limit: lastDay });
  }
  return currentEntries(body, dayAfter(today, -1));
};
