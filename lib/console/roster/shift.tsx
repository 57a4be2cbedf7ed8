import { MoonIcon } from '@heroicons/react/24/outline';
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { isOff, type Shift, shiftsOf } from './entries.ts';
import { formatHours, useRosterDates, useRosterTexts } from './texts.ts';
import { isNow, type RosterView } from './view.ts';

type BoxProps = { className: string; label: string; onClick: (() => void) | null; data?: string; children: ReactNode };

/** A shift or a day off: a button for users who may change it. */
const Box = ({ className, label, onClick, data, children }: BoxProps) =>
  onClick ? (
    <button type="button" className={className} onClick={onClick} data-shift={data}>
      <VisuallyHidden>{label}</VisuallyHidden>
      {children}
    </button>
  ) : (
    <span className={className}>{children}</span>
  );

type CellProps = { view: RosterView; userId: number; name: string; date: string };

const ShiftBox = ({ view, shift, name }: { view: RosterView; shift: Shift; name: string }) => {
  const texts = useRosterTexts();
  const dates = useRosterDates(view.timeZone);
  const hours = formatHours(shift);
  const isNight = shift.from > shift.to;
  const repeat = shift.isWeekly ? texts.everyWeek : texts.once;
  const { onChoose } = view;
  return (
    <Box
      className={['shift', isNight && 'night', isNow(shift, view) && 'now', !shift.isWeekly && 'once']
        .filter(Boolean)
        .join(' ')}
      label={`${name}, ${dates.short(shift.date)}, `}
      onClick={onChoose && (() => onChoose(shift))}
      data={`${shift.from} ${shift.to}`}
    >
      {isNight && <MoonIcon className="icon" />}
      {`${hours} `}
      <small>{repeat}</small>
    </Box>
  );
};

/** A user's shifts that begin on a day, or a note that the user is off. */
export const DayOfUser = ({ view, userId, name, date }: CellProps) => {
  const texts = useRosterTexts();
  const dates = useRosterDates(view.timeZone);
  const { entries, onChoose } = view;
  if (isOff(entries, userId, date))
    return (
      <Box
        className="shift off"
        label={`${name}, ${dates.short(date)}, `}
        onClick={onChoose && (() => onChoose({ userId, date, isDayOff: true }))}
      >
        {`${texts.off} `}
        <small>{texts.once}</small>
      </Box>
    );
  return shiftsOf(entries, userId, date).map((shift) => (
    <ShiftBox key={`${shift.from} ${shift.to}`} view={view} shift={shift} name={name} />
  ));
};
