import { VisuallyHidden } from '@mantine/core';
import { Name } from '../ui/name.tsx';
import { Cover, Holes } from './cover.tsx';
import { type Cell, useDrag } from './drag.ts';
import { type Shift, shiftsOf } from './entries.ts';
import { Reach } from './reach.tsx';
import { DayOfUser } from './shift.tsx';
import { useRosterTexts } from './texts.ts';
import type { RosterView } from './view.ts';
import type { WeekDay } from './week.ts';

const classOf = ({ isToday, isPast }: WeekDay, isSelected = false): string =>
  [isToday && 'is-today', isPast && 'is-past', isSelected && 'is-selected'].filter(Boolean).join(' ');

/** Returns the shift represented by an element in the table. */
const shiftIn = ({ entries }: RosterView, element: Element): Shift | null => {
  const hours = element.closest<HTMLElement>('[data-shift]')?.dataset.shift;
  const { user, date = '' } = element.closest<HTMLElement>('td[data-date]')?.dataset ?? {};
  return shiftsOf(entries, Number(user), date).find(({ from, to }) => `${from} ${to}` === hours) ?? null;
};

type TableProps = {
  view: RosterView;
  onSelect: (userId: number, dates: string[]) => void;
  onMove: (shift: Shift, to: Cell) => void;
};

/** The roster for a week: a row for each person, a column for each day, and a top row that shows the coverage. */
export const RosterTable = ({ view, onSelect, onMove }: TableProps) => {
  const texts = useRosterTexts();
  const { people, week, timeZone, spans, onChoose } = view;
  const { selected, handlers } = useDrag<Shift>({
    shiftOf: (element) => shiftIn(view, element),
    onSelect,
    onMove,
  });
  return (
    <table className={onChoose ? 'roster editable' : 'roster'} aria-label={texts.table}>
      <thead>
        <tr>
          <th scope="col">{texts.person}</th>
          {week.days.map((day) => (
            <th key={day.date} scope="col" className={classOf(day)}>
              <b>{day.short}</b>
              {day.isToday && ` ${texts.today}`}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{texts.covered}</th>
          {week.days.map((day) => (
            <td key={day.date} className={classOf(day)}>
              {day.isPast || day.isYesterday ? (
                <VisuallyHidden>{texts.past}</VisuallyHidden>
              ) : (
                <>
                  <Cover day={day.date} timeZone={timeZone} spans={spans} />
                  <Holes day={day.date} timeZone={timeZone} spans={spans} />
                </>
              )}
            </td>
          ))}
        </tr>
      </tbody>
      <tbody {...(onChoose && handlers)}>
        {people.map(({ userId, name, reachableBy }) => (
          <tr key={userId}>
            <th scope="row">
              <Name>{name}</Name>
              <Reach reachableBy={reachableBy} />
            </th>
            {week.days.map((day) => {
              const place = day.isPast ? {} : { 'data-user': userId, 'data-date': day.date };
              return (
                <td key={day.date} className={classOf(day, selected.includes(`${userId} ${day.date}`))} {...place}>
                  {!day.isPast && <DayOfUser view={view} userId={userId} name={name} date={day.date} />}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
