import { useDates, useTexts } from '#lib/console/texts/texts.tsx';
import { useNow } from '#lib/console/ui/now.ts';
import type { Event, Room, RoomUpdate, Sensor } from '#openapi';
import { mountings } from '#shared/domain/sensor/room-limits.ts';
import { eventName } from '../event-name.ts';
import type { Draft, Region } from './draft.ts';
import { type Extent, pointAt, sidesOf } from './geometry.ts';
import { keyHandler, usePointer } from './input.ts';
import { useRoomTexts } from './texts.ts';

const MARGIN = 30;
const METRE = 100;

const Grid = ({ xMin, xMax, yMin, yMax }: Extent) => {
  const lines = (from: number, to: number) =>
    Array.from(
      { length: Math.floor(to / METRE) - Math.ceil(from / METRE) + 1 },
      (_, at) => (Math.ceil(from / METRE) + at) * METRE,
    );
  return (
    <g className="grid">
      {lines(-xMin, xMax).map((x) => (
        <line key={`x${x}`} x1={x} x2={x} y1={-yMax} y2={yMin} />
      ))}
      {lines(-yMin, yMax).map((y) => (
        <line key={`y${y}`} x1={-xMin} x2={xMax} y1={-y} y2={-y} />
      ))}
    </g>
  );
};

/**
 * Draws the sensor and its rotation: on a wall, a wedge pointing into the room; on the ceiling, a square with an arrow.
 */
const SensorSymbol = ({ mounting }: { mounting: Room['sensorMounting'] }) => {
  const texts = useRoomTexts();
  const rotation = mounting === 'ceiling_45deg' ? { transform: 'rotate(45)' } : {};
  return (
    <g className="sensor" role="img" aria-label={`${texts.sensor}: ${texts.mountings[mounting]}`}>
      <title>{`${texts.sensor}: ${texts.mountings[mounting]}`}</title>
      {mounting.startsWith('wall') ? (
        <path d="M-14 6 H14 L7 -8 H-7 Z" />
      ) : (
        <g {...rotation}>
          <rect x={-10} y={-10} width={20} height={20} rx={3} />
          <path d="M0 -20 L5 -11 H-5 Z" />
        </g>
      )}
    </g>
  );
};

const RegionShape = ({ region, draft }: { region: Region; draft: Draft }) => {
  const texts = useRoomTexts();
  const { id = '', kind, name, topLeftX: x, topLeftY: top, bottomRightX, bottomRightY } = region;
  const [width, depth] = sidesOf(region);
  const isSelected = draft.selected === id;
  const editProps = draft.draft && {
    role: 'button',
    tabIndex: 0,
    'aria-pressed': isSelected,
    onFocus: () => draft.select(id),
    onKeyDown: keyHandler(draft, id, region),
  };
  const corner = (which: string, cx: number, cy: number) => (
    <circle className="corner" data-region={id} data-corner={which} cx={cx} cy={cy} r={9} />
  );
  return (
    <g
      className={`region ${kind}`}
      aria-label={texts.region(texts.kinds[kind], name, texts.size(width, depth))}
      {...(editProps ?? { role: 'img' })}
    >
      <rect data-region={id} x={x} y={-top} width={Math.max(0, width)} height={Math.max(0, depth)} />
      <text data-region={id} x={x + 6} y={-top + 18}>
        {name}
      </text>
      {isSelected && corner('topLeft', x, -top)}
      {isSelected && corner('bottomRight', bottomRightX, -bottomRightY)}
    </g>
  );
};

/** Draws the sensor range, which depends on the manufacturer and the mounting. */
const SensorRange = ({ room, manufacturer }: { room: RoomUpdate; manufacturer: Sensor['manufacturer'] }) => {
  const limits = mountings[manufacturer][room.sensorMounting];
  if (!limits) return null;
  return <rect className="reach" x={-limits.x} y={-limits.y} width={2 * limits.x} height={limits.y + room.yMin} />;
};

/** The maximum number of points. More would be indistinguishable. */
const MAX_POINTS = 20;
const DAY = 86_400_000;

/** Returns the opacity for a point of this age (ms). Points fade over a day. */
const opacityOf = (age: number): number => Math.max(0.25, 1 - age / DAY);

/** Draws the positions of the newest events. */
const Points = ({ events, extent }: { events: readonly Event[]; extent: Extent }) => {
  const texts = useTexts();
  const room = useRoomTexts();
  const dates = useDates();
  const now = useNow(10_000);
  const located = events.filter(({ normalizedCoordinates }) => normalizedCoordinates !== null).slice(0, MAX_POINTS);
  return located.toReversed().map((event) => {
    const { x, y } = pointAt(event.normalizedCoordinates ?? { x: 0, y: 0 }, extent);
    const label = room.point(eventName(`${event.type}/${event.action}`, texts), dates.ago(event.createDate, now));
    return (
      <g key={event.uuid} role="img" aria-label={label}>
        <title>{label}</title>
        <circle className={`point ${event.type}`} cx={x} cy={-y} r={7} opacity={opacityOf(now - event.createDate)} />
      </g>
    );
  });
};

type DrawingProps = {
  /** Needed only for editing, which shows the sensor range. */
  manufacturer?: Sensor['manufacturer'];
  room: Room;
  draft: Draft;
  events: readonly Event[];
};

/** Draws the room to scale, from above. The area in front of the sensor is above it in the drawing. */
export const Drawing = ({ manufacturer, room, draft, events }: DrawingProps) => {
  const texts = useRoomTexts();
  const shown = draft.draft ?? room;
  const range = draft.draft && manufacturer ? mountings[manufacturer][shown.sensorMounting] : undefined;
  const left = Math.max(shown.xMin, range?.x ?? 0) + MARGIN;
  const right = Math.max(shown.xMax, range?.x ?? 0) + MARGIN;
  const front = Math.max(shown.yMax, range?.y ?? 0) + MARGIN;
  const { xMin, xMax, yMin, yMax } = shown;
  // The room does not extend behind a sensor on a wall.
  const isOnWall = shown.sensorMounting.startsWith('wall');
  return (
    <svg
      className={draft.draft ? 'room editing' : 'room'}
      viewBox={`${-left} ${-front} ${left + right} ${front + yMin + MARGIN}`}
      role="group"
      aria-label={texts.label}
      {...usePointer(draft, texts.kinds.default)}
    >
      <rect className="ground" x={-xMin} y={-yMax} width={xMin + xMax} height={yMax + (isOnWall ? 0 : yMin)} />
      <Grid {...shown} yMin={isOnWall ? 0 : yMin} />
      {draft.draft && manufacturer && <SensorRange room={draft.draft} manufacturer={manufacturer} />}
      <rect className="walls" x={-xMin} y={-yMax} width={xMin + xMax} height={yMax + (isOnWall ? 4 : yMin)} />
      {shown.regions.map((region) => (
        <RegionShape key={region.id} region={region} draft={draft} />
      ))}
      <Points events={events} extent={room} />
      <SensorSymbol mounting={shown.sensorMounting} />
    </svg>
  );
};
