import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { Draft } from './draft.ts';
import { type Corner, drawn, type Extent, moved, onGrid, type Point, type Rect, resized } from './geometry.ts';

type Grip =
  | { kind: 'move'; id: string; rect: Rect; from: Point }
  | { kind: 'resize'; id: string; rect: Rect; corner: Corner }
  | { kind: 'draw'; from: Point };

/** Gives the position of a pointer on the drawing, in cm of the room. */
const pointOf = ({ currentTarget: svg, clientX, clientY }: PointerEvent<SVGSVGElement>): Point => {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM()?.inverse());
  return { x, y: -y };
};

const gripAt = (event: PointerEvent<SVGSVGElement>, { draft }: Draft): Grip => {
  const { region, corner } = event.target instanceof SVGElement ? event.target.dataset : {};
  const from = pointOf(event);
  const rect = draft?.regions.find(({ id }) => id === region);
  if (region === undefined || !rect) return { kind: 'draw', from };
  if (corner === 'topLeft' || corner === 'bottomRight') return { kind: 'resize', id: region, rect, corner };
  return { kind: 'move', id: region, rect, from };
};

const rectOf = (grip: Grip, at: Point, extent: Extent): Rect | null => {
  if (grip.kind === 'resize') return resized(grip.rect, grip.corner, onGrid(at), extent);
  if (grip.kind === 'draw') return drawn(grip.from, at, extent);
  const { x, y } = onGrid({ x: at.x - grip.from.x, y: at.y - grip.from.y });
  return moved(grip.rect, x, y, extent);
};

/** Handles mouse, pen and touch on the drawing: they draw, move and resize regions. */
export const usePointer = (draft: Draft, nameOfNew: string) => {
  const grip = useRef<Grip>(null);
  const extent = draft.draft;
  if (!extent) return {};
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      grip.current = gripAt(event, draft);
      if (grip.current.kind !== 'draw') draft.choose(grip.current.id);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      const { current } = grip;
      const rect = current && current.kind !== 'draw' && rectOf(current, pointOf(event), extent);
      if (rect) draft.changeRegion(current.id, rect);
    },
    onPointerCancel: () => {
      grip.current = null;
    },
    onPointerUp: (event: PointerEvent<SVGSVGElement>) => {
      const { current } = grip;
      grip.current = null;
      const rect = current?.kind === 'draw' && rectOf(current, pointOf(event), extent);
      if (rect) draft.addRegion(rect, nameOfNew);
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

/** Handles keys on a region: arrow keys move it, with Shift only its lower right corner; Delete removes it. */
export const onKeyOf =
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
