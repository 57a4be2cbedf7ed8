import { queryOptions } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import type { Rule } from '#openapi';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { dutyQuery } from '../account/queries.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useRosterTexts } from './texts.ts';

const pathOf = (customerId: number) => ({ params: { path: { customerId } } });

/**
 * Reads the roster. The OpenAPI document does not state which fields each of the three entry kinds must not have, so
 * the type needs a cast.
 */
const readRoster = async (customerId: number): Promise<RosterEntry[]> =>
  (await ok(api.GET('/customers/{customerId}/roster', pathOf(customerId)))) as RosterEntry[];

/** Reads the users who can be on the roster, sorted by name. */
const readPeople = async (customerId: number) => {
  const people = await ok(api.GET('/customers/{customerId}/roster/people', pathOf(customerId)));
  return people.toSorted((a, b) => a.name.localeCompare(b.name));
};

/** The largest page the API returns. */
const MAX_PER_PAGE = 200;

const readRules = async (customerId: number): Promise<readonly Rule[]> => {
  const all: Rule[] = [];
  for (let page = 0; ; page += 1) {
    const [found] = await ok(api.GET('/rules', { params: { query: { customerId, perPage: MAX_PER_PAGE, page } } }));
    all.push(...(found?.data ?? []));
    if (!found || found.total <= (page + 1) * MAX_PER_PAGE) return all;
  }
};

/** Returns the query for the roster, with everything needed to find gaps. */
export const rosterQuery = (customerId: number) =>
  queryOptions({
    queryKey: ['roster', customerId],
    queryFn: async () => {
      const [{ timeZone }, entries, people, rules, onDuty] = await Promise.all([
        ok(api.GET('/customers/{customerId}', pathOf(customerId))),
        readRoster(customerId),
        readPeople(customerId),
        readRules(customerId),
        ok(api.GET('/customers/{customerId}/duty', pathOf(customerId))),
      ]);
      return { customerId, timeZone, entries, people, rules, onDuty };
    },
    refetchInterval: 60_000,
  });
export type RosterData = Awaited<ReturnType<NonNullable<ReturnType<typeof rosterQuery>['queryFn']>>>;

export type Edit = (entries: readonly RosterEntry[]) => RosterEntry[];

/**
 * Returns a mutation that changes the roster. The API replaces the roster as a whole, so the change is applied to the
 * newest version: someone else may have changed the roster since it was shown. Entries for users who may no longer log
 * in are left out, because the API refuses them.
 */
export const useRosterEdit = (customerId: number, userIds: readonly number[], onDone: () => void) => {
  const texts = useRosterTexts();
  return useWrite({
    send: async (edit: Edit) => {
      const entries = edit(await readRoster(customerId)).filter(({ userId }) => userIds.includes(userId));
      return ok(api.PUT('/customers/{customerId}/roster', { ...pathOf(customerId), body: entries }));
    },
    done: texts.saved,
    refresh: [rosterQuery(customerId).queryKey, dutyQuery(customerId).queryKey],
    onDone,
  });
};
