import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { Draft } from './draft.ts';
import { type Corner, type Extent, moved, onGrid, type Point, type Rect, rectBetween, resized } from './geometry.ts';

type Drag =
  | { kind: 'move'; id: string; rect: Rect; from: Point }
  | { kind: 'resize'; id: string; rect: Rect; corner: Corner }
  | { kind: 'draw'; from: Point };

/** Returns the pointer position on the drawing, in room coordinates (cm). */
const pointOf = ({ currentTarget: svg, clientX, clientY }: PointerEvent<SVGSVGElement>): Point => {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  return { x, y: -y };
};

const dragAt = (event: PointerEvent<SVGSVGElement>, { draft }: Draft): Drag => {
  const { region, corner } = event.target instanceof SVGElement ? event.target.dataset : {};
  const from = pointOf(event);
  const rect = draft?.regions.find(({ id }) => id === region);
  if (region === undefined || !rect) return { kind: 'draw', from };
  if (corner === 'topLeft' || corner === 'bottomRight') return { kind: 'resize', id: region, rect, corner };
  return { kind: 'move', id: region, rect, from };
};

const rectOf = (drag: Drag, at: Point, extent: Extent): Rect | null => {
  if (drag.kind === 'resize') return resized(drag.rect, drag.corner, onGrid(at), extent);
  if (drag.kind === 'draw') return rectBetween(drag.from, at, extent);
  const { x, y } = onGrid({ x: at.x - drag.from.x, y: at.y - drag.from.y });
  return moved(drag.rect, x, y, extent);
};

/** Returns mouse, pen and touch handlers for drawing, moving and resizing regions. */
export const usePointer = (draft: Draft, newName: string) => {
  const drag = useRef<Drag>(null);
  const extent = draft.draft;
  if (!extent) return {};
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      drag.current = dragAt(event, draft);
      if (drag.current.kind !== 'draw') draft.select(drag.current.id);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      const { current } = drag;
      const rect = current && current.kind !== 'draw' && rectOf(current, pointOf(event), extent);
      if (rect) draft.changeRegion(current.id, rect);
    },
    onPointerCancel: () => {
      drag.current = null;
    },
    onPointerUp: (event: PointerEvent<SVGSVGElement>) => {
      const { current } = drag;
      drag.current = null;
      const rect = current?.kind === 'draw' && rectOf(current, pointOf(event), extent);
      if (rect) draft.addRegion(rect, newName);
    },
  };
};

const STEP = 10;
const arrows: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -STEP, y: 0 },
  ArrowRight: { x: STEP, y: 0 },
  ArrowUp: { x: 0, y: STEP },
  ArrowDown: { x: 0, y: -STEP },
};

/** Returns the key handler for a region: arrow keys move the region or, with Shift, resize it; Delete removes it. */
export const keyHandler =
  (draft: Draft, id: string, rect: Rect) =>
  (event: KeyboardEvent): void => {
    const extent = draft.draft;
    const by = arrows[event.key];
    if (!extent || (!by && event.key !== 'Delete')) return;
    event.preventDefault();
    if (!by) {
      draft.removeRegion(id);
      return;
    }
    const corner = { x: rect.bottomRightX + by.x, y: rect.bottomRightY + by.y };
    const next = event.shiftKey ? resized(rect, 'bottomRight', corner, extent) : moved(rect, by.x, by.y, extent);
    draft.changeRegion(id, next);
  };
