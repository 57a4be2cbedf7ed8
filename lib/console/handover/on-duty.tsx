import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Span } from '../alarms/figures.ts';
import { useAlarmTexts } from '../alarms/texts.ts';
import { useAlarms } from '../overview/alarms-provider.tsx';
import { rosterQuery } from '../roster/queries.ts';
import { useMe } from '../session/session.tsx';
import { useDates } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import { onRoster } from './shifts.ts';

type Line = { key: string; name: string; span: string };
type OnDutyProps = { customerId: number; shift: Span; isCurrent: boolean };

/**
 * Who was on duty during a shift: everyone on the roster and, for the current shift, users who went on duty themselves.
 * A display cannot read the roster.
 */
export const OnDutyPanel = ({ customerId, shift, isCurrent }: OnDutyProps) => {
  const { handover: texts } = useAlarmTexts();
  const dates = useDates();
  const { display } = useMe();
  const { data: plan } = useQuery({ ...rosterQuery(customerId), enabled: !display });
  const now = useAlarms()?.onDuty ?? [];
  const names = new Map(plan?.people.map(({ userId, name }) => [userId, name]));
  const rostered = plan ? onRoster(plan.entries, plan.timeZone, shift) : [];
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
