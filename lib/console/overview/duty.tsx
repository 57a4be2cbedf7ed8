import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import type { Alarms } from './alarms-provider.tsx';

/** Who is on duty now, until when, and how to reach them. A display may not open the roster. */
export const Duty = ({ onDuty }: Pick<Alarms, 'onDuty'>) => {
  const { overview: texts, roster } = useTexts();
  const dates = useDates();
  const { display: isDisplay } = useMe();
  if (onDuty.length === 0) return null;
  return (
    <Panel title={texts.onDutyNow} link={isDisplay ? undefined : { href: '/roster', text: roster }}>
      <ul className="rows-list">
        {onDuty.map(({ userId, name, until, reachableBy }) => (
          <li key={userId}>
            <Name>{name}</Name>
            <span className="meta end">
              {[
                reachableBy.length === 0 ? texts.unreachable : reachableBy.map((by) => texts.ways[by]).join(', '),
                texts.until(dates.clock(until)),
              ].join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
