import { useDates, useTexts } from '#lib/console/texts/texts.tsx';
import { useNow } from '#lib/console/ui/now.ts';
import type { Event } from '#openapi';
import { nameOf } from '../kinds.ts';
import { type Extent, placeOf } from './geometry.ts';
import { useRoomTexts } from './texts.ts';

/** The number of points that are drawn. More could not be told apart. */
const MOST = 20;
const DAY = 86_400_000;

/** The opacity of a point falls with its age (ms), for one day. */
const opacityOf = (age: number): number => Math.max(0.25, 1 - age / DAY);

/** Draws the places of the newest events. */
export const Points = ({ events, extent }: { events: readonly Event[]; extent: Extent }) => {
  const texts = useTexts();
  const room = useRoomTexts();
  const dates = useDates();
  const now = useNow(10_000);
  const placed = events.filter(({ normalizedCoordinates }) => normalizedCoordinates !== null).slice(0, MOST);
  return placed.toReversed().map((event) => {
    const { x, y } = placeOf(event.normalizedCoordinates ?? { x: 0, y: 0 }, extent);
    const said = room.point(nameOf(`${event.type}/${event.action}`, texts), dates.ago(event.createDate, now));
    return (
      <g key={event.uuid} role="img" aria-label={said}>
        <title>{said}</title>
        <circle className={`point ${event.type}`} cx={x} cy={-y} r={7} opacity={opacityOf(now - event.createDate)} />
      </g>
    );
  });
};
