import { Text } from '@mantine/core';
import type { OnDuty } from '#openapi';
import { Name } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import { Reach } from './reach.tsx';
import { useRosterDates, useRosterTexts } from './texts.ts';

/** Lists who is on duty now, until when, and how to reach them. */
export const OnDutyNow = ({ onDuty, timeZone }: { onDuty: readonly OnDuty[]; timeZone: string }) => {
  const texts = useRosterTexts();
  const dates = useRosterDates(timeZone);
  return (
    <Panel title={texts.onDutyNow}>
      {onDuty.length === 0 && <Text>{texts.nobodyNow}</Text>}
      <ul className="plain duty">
        {onDuty.map(({ userId, name, until, reachableBy }) => (
          <li key={userId}>
            <Name>{name}</Name>
            <span className="soft">{texts.until(dates.clock(until))}</span>
            <Reach reachableBy={reachableBy} />
          </li>
        ))}
      </ul>
    </Panel>
  );
};
