import { type PointerEvent, useRef, useState } from 'react';
import { daysFrom } from './week.ts';

/** How far (px) a pointer must move to start a drag. */
const THRESHOLD = 6;

/** A table cell: one user's day. */
export type Cell = { userId: number; date: string };

const cellAt = (x: number, y: number): Cell | null => {
  const cell = document.elementFromPoint(x, y)?.closest<HTMLElement>('td[data-date]');
  const { user, date } = cell?.dataset ?? {};
  return user !== undefined && date !== undefined ? { userId: Number(user), date } : null;
};

/** Returns the days from one day to another, in order. */
const daysBetween = (one: string, other: string): string[] => {
  const [first, last] = one < other ? [one, other] : [other, one];
  return daysFrom(first, 7).filter((date) => date <= last);
};

type Drag<S> = { from: Cell; x: number; y: number; shift: S | null };
type DragProps<S> = {
  /** Returns the shift represented by an element. */
  shiftOf: (element: Element) => S | null;
  onSelect: (userId: number, dates: string[]) => void;
  onMove: (shift: S, to: Cell) => void;
};

/**
 * Tracks mouse or pen drags on the table. Dragging across a user's empty cells selects the days; dragging a shift moves
 * it to another cell. Touch scrolls the table, so touch users add shifts with the button. `selected` contains the cells
 * below the current drag.
 */
export const useDrag = <S>({ shiftOf, onSelect, onMove }: DragProps<S>) => {
  const drag = useRef<Drag<S>>(null);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const end = () => {
    drag.current = null;
    setSelected([]);
  };
  const datesTo = ({ from }: Drag<S>, to: Cell | null) =>
    to?.userId === from.userId ? daysBetween(from.date, to.date) : [];
  return {
    selected,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        const from = cellAt(event.clientX, event.clientY);
        if (event.pointerType === 'touch' || event.button !== 0 || !from) return;
        const shift = event.target instanceof Element ? shiftOf(event.target) : null;
        drag.current = { from, x: event.clientX, y: event.clientY, shift };
        if (!shift) setSelected([`${from.userId} ${from.date}`]);
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        const { current } = drag;
        if (!current || Math.hypot(clientX - current.x, clientY - current.y) < THRESHOLD) return;
        const to = cellAt(clientX, clientY);
        const cells = current.shift ? [to] : datesTo(current, to).map((date) => ({ ...current.from, date }));
        setSelected(cells.flatMap((cell) => (cell ? [`${cell.userId} ${cell.date}`] : [])));
      },
      onPointerUp: ({ clientX, clientY }: PointerEvent) => {
        const { current } = drag;
        end();
        const to = cellAt(clientX, clientY);
        if (!current || !to) return;
        const isElsewhere = to.userId !== current.from.userId || to.date !== current.from.date;
        if (current.shift && isElsewhere) onMove(current.shift, to);
        if (!current.shift) onSelect(current.from.userId, datesTo(current, to));
      },
      onPointerCancel: end,
      onPointerLeave: end,
    },
  };
};
