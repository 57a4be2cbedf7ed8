import { Name } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import { CoverOfDay } from './cover.tsx';
import { isOff, shiftsOf } from './entries.ts';
import { Reach } from './reach.tsx';
import { DayOfUser } from './shift.tsx';
import { useRosterTexts } from './texts.ts';
import type { RosterView } from './view.ts';

/** The roster for a week on a phone: a card for each day that shows the coverage and who works. */
export const DayList = ({ view }: { view: RosterView }) => {
  const texts = useRosterTexts();
  const { people, entries, week, timeZone, spans } = view;
  return (
    <div className="roster-days">
      {week.days
        .filter(({ isPast }) => !isPast)
        .map(({ date, short, isToday, isYesterday }) => {
          const listed = people.filter(
            ({ userId }) => shiftsOf(entries, userId, date).length > 0 || isOff(entries, userId, date),
          );
          return (
            <Panel key={date} title={isToday ? `${short}, ${texts.today}` : short}>
              {!isYesterday && <CoverOfDay day={date} timeZone={timeZone} spans={spans} />}
              <ul className="plain duty">
                {listed.length === 0 && <li className="soft">{texts.noShifts}</li>}
                {listed.map(({ userId, name, reachableBy }) => (
                  <li key={userId}>
                    <span>
                      <Name>{name}</Name>
                      {reachableBy.length === 0 && <Reach reachableBy={reachableBy} />}
                    </span>
                    <DayOfUser view={view} userId={userId} name={name} date={date} />
                  </li>
                ))}
              </ul>
            </Panel>
          );
        })}
    </div>
  );
};
