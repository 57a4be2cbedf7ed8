import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { dutyQuery } from '../account/queries.ts';
import type { Span } from '../alarms/figures.ts';
import { useAlarmTexts } from '../alarms/texts.ts';
import { api } from '../api/client.ts';
import { useCan, useMe } from '../session/session.tsx';
import { useDates } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import { onRoster } from './shifts.ts';

const useRoster = (customerId: number) => {
  const { display } = useMe();
  return useQuery({
    queryKey: ['roster', customerId],
    queryFn: () => ok(api.GET('/customers/{customerId}/roster', { params: { path: { customerId } } })),
    // A display may not read it.
    enabled: !display,
  });
};

/** Returns the names of users, as far as the reader may know them. */
const useNames = (customerId: number): ReadonlyMap<number, string> => {
  const mayList = useCan()('manage_users');
  const { data: onDuty = [] } = useQuery(dutyQuery(customerId));
  const { data: users } = useQuery({
    queryKey: ['users', 'names', customerId],
    queryFn: () => ok(api.GET('/users', { params: { query: { customerId, perPage: 200 } } })),
    enabled: mayList,
    staleTime: 60_000,
  });
  const listed = (users?.[0]?.data ?? []).map(({ id, firstName, lastName, username }) => {
    return [id, `${firstName} ${lastName}`.trim() || username] as const;
  });
  return new Map([...listed, ...onDuty.map(({ userId, name }) => [userId, name] as const)]);
};

type Line = { key: string; name: string; span: string };
type OnDutyProps = { customerId: number; shift: Span; isCurrent: boolean };

/** Who was on duty in a shift: by the roster, and of the current shift also who said so. */
export const OnDutyPanel = ({ customerId, shift, isCurrent }: OnDutyProps) => {
  const { handover: texts } = useAlarmTexts();
  const dates = useDates();
  const { data: roster = [] } = useRoster(customerId);
  const { data: now = [] } = useQuery(dutyQuery(customerId));
  const names = useNames(customerId);
  const rostered = onRoster(roster, shift);
  const others = isCurrent ? now.filter(({ userId }) => rostered.every((one) => one.userId !== userId)) : [];
  const lines: Line[] = [
    ...rostered.map(({ userId, from, to }) => ({
      key: `${userId} ${from}`,
      name: names.get(userId) ?? texts.user(userId),
      span: texts.dutySpan(dates.clock(from), dates.clock(to)),
    })),
    ...others.map(({ userId, name, until }) => ({ key: String(userId), name, span: texts.until(dates.clock(until)) })),
  ];
  return (
    <Panel title={texts.duty}>
      {lines.length === 0 && <Text c="dimmed">{texts.nobody}</Text>}
      <ul className="rows-list">
        {lines.map(({ key, name, span }) => (
          <li key={key}>
            <Name>{name}</Name>
            <span className="meta">{span}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
