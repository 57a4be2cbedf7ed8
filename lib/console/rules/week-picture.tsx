import { type PointerEvent, useState } from 'react';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { daysIn, type Schedule, segmentsOf } from './week.ts';

const HOURS = 24;

const clockOf = (hour: number): string => `${String(hour % HOURS).padStart(2, '0')}:00`;

/** The path for the vertical lines between hours. */
const lines = Array.from({ length: HOURS + 1 }, (_, hour) => `M${hour} 0V7`).join('');

type Hours = Pick<Schedule, 'from' | 'to'>;

/** Tracks a drag across the week, and calls `onHours` with the start of the first hour and the end of the last. */
const useDrag = (onHours: (hours: Hours) => void) => {
  const [first, setFirst] = useState<number | null>(null);
  const hourAt = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(HOURS - 1, Math.max(0, Math.floor(((clientX - left) / width) * HOURS)));
  };
  const select = (first: number, hour: number) => onHours({ from: clockOf(first), to: clockOf(hour + 1) });
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      const hour = hourAt(event);
      setFirst(hour);
      select(hour, hour);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      if (first !== null) select(first, hourAt(event));
    },
    onPointerUp: () => setFirst(null),
    onPointerCancel: () => setFirst(null),
  };
};

/** Draws a schedule as a week. Everything that can be dragged here can also be entered in the fields above. */
export const Week = ({ schedule, onHours }: { schedule: Schedule; onHours: (hours: Hours) => void }) => {
  const names = daysIn(useLocale(), 'short');
  const { rules: texts } = useTexts();
  const ticks = [0, 6, 12, 18, 24];
  return (
    <div className="week">
      <div className="week-days" aria-hidden>
        {names.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <svg viewBox="0 0 24 7" preserveAspectRatio="none" role="img" aria-label={texts.hours} {...useDrag(onHours)}>
        {segmentsOf(schedule).map(({ day, from, length }) => (
          <rect key={`${day} ${from}`} x={from * HOURS} y={day - 0.9} width={length * HOURS} height={0.8} />
        ))}
        <path d={lines} />
      </svg>
      <div className="week-hours" aria-hidden>
        {ticks.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
};
