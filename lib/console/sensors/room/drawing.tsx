import { useDates, useTexts } from '#lib/console/texts/texts.tsx';
import { useNow } from '#lib/console/ui/now.ts';
import type { Event, Room, RoomUpdate, Sensor } from '#openapi';
import { mountings } from '#shared/domain/sensor/room-limits.ts';
import { nameOf } from '../kinds.ts';
import type { Draft, Region } from './draft.ts';
import { type Extent, placeOf, sidesOf } from './geometry.ts';
import { onKeyOf, usePointer } from './hands.ts';
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

/** Draws the sensor with its rotation: a wedge that points into the room from a wall, or a square with an arrow for the ceiling. */
const Mounted = ({ mounting }: { mounting: Room['sensorMounting'] }) => {
  const texts = useRoomTexts();
  const turned = mounting === 'ceiling_45deg' ? { transform: 'rotate(45)' } : {};
  return (
    <g className="sensor" role="img" aria-label={`${texts.sensor}: ${texts.mountings[mounting]}`}>
      <title>{`${texts.sensor}: ${texts.mountings[mounting]}`}</title>
      {mounting.startsWith('wall') ? (
        <path d="M-14 6 H14 L7 -8 H-7 Z" />
      ) : (
        <g {...turned}>
          <rect x={-10} y={-10} width={20} height={20} rx={3} />
          <path d="M0 -20 L5 -11 H-5 Z" />
        </g>
      )}
    </g>
  );
};

const Shape = ({ region, draft }: { region: Region; draft: Draft }) => {
  const texts = useRoomTexts();
  const { id = '', kind, name, topLeftX: x, topLeftY: top, bottomRightX, bottomRightY } = region;
  const [width, depth] = sidesOf(region);
  const isChosen = draft.chosen === id;
  const inHand = draft.draft && {
    role: 'button',
    tabIndex: 0,
    'aria-pressed': isChosen,
    onFocus: () => draft.choose(id),
    onKeyDown: onKeyOf(draft, id, region),
  };
  const corner = (which: string, cx: number, cy: number) => (
    <circle className="corner" data-region={id} data-corner={which} cx={cx} cy={cy} r={9} />
  );
  return (
    <g
      className={`region ${kind}`}
      aria-label={texts.region(texts.kinds[kind], name, texts.size(width, depth))}
      {...(inHand ?? { role: 'img' })}
    >
      <rect data-region={id} x={x} y={-top} width={Math.max(0, width)} height={Math.max(0, depth)} />
      <text data-region={id} x={x + 6} y={-top + 18}>
        {name}
      </text>
      {isChosen && corner('topLeft', x, -top)}
      {isChosen && corner('bottomRight', bottomRightX, -bottomRightY)}
    </g>
  );
};

/** Draws the range of a sensor of this maker with this mounting. */
const Reach = ({ room, maker }: { room: RoomUpdate; maker: Sensor['manufacturer'] }) => {
  const limits = mountings[maker][room.sensorMounting];
  if (!limits) return null;
  return <rect className="reach" x={-limits.x} y={-limits.y} width={2 * limits.x} height={limits.y + room.yMin} />;
};

/** The number of points that are drawn. More could not be told apart. */
const MOST_POINTS = 20;
const DAY = 86_400_000;

/** The opacity of a point falls with its age (ms), for one day. */
const opacityOf = (age: number): number => Math.max(0.25, 1 - age / DAY);

/** Draws the places of the newest events. */
const Points = ({ events, extent }: { events: readonly Event[]; extent: Extent }) => {
  const texts = useTexts();
  const room = useRoomTexts();
  const dates = useDates();
  const now = useNow(10_000);
  const placed = events.filter(({ normalizedCoordinates }) => normalizedCoordinates !== null).slice(0, MOST_POINTS);
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

type DrawingProps = { sensor: Sensor; room: Room; draft: Draft; events: readonly Event[] };

/** Draws the room to scale, seen from above. What is in front of the sensor is drawn above it. */
export const Drawing = ({ sensor, room, draft, events }: DrawingProps) => {
  const texts = useRoomTexts();
  const shown = draft.draft ?? room;
  const reach = draft.draft ? mountings[sensor.manufacturer][shown.sensorMounting] : undefined;
  const left = Math.max(shown.xMin, reach?.x ?? 0) + MARGIN;
  const right = Math.max(shown.xMax, reach?.x ?? 0) + MARGIN;
  const front = Math.max(shown.yMax, reach?.y ?? 0) + MARGIN;
  const { xMin, xMax, yMin, yMax } = shown;
  // A sensor on a wall has no room behind it.
  const isOnWall = shown.sensorMounting.startsWith('wall');
  return (
    <svg
      className={draft.draft ? 'room editing' : 'room'}
      viewBox={`${-left} ${-front} ${left + right} ${front + yMin + MARGIN}`}
      role="group"
      aria-label={texts.label}
      {...usePointer(draft, texts.kinds.default)}
    >
      <rect className="floor" x={-xMin} y={-yMax} width={xMin + xMax} height={yMin + yMax} />
      <Grid {...shown} />
      {draft.draft && <Reach room={draft.draft} maker={sensor.manufacturer} />}
      <rect className="walls" x={-xMin} y={-yMax} width={xMin + xMax} height={yMax + (isOnWall ? 4 : yMin)} />
      {shown.regions.map((region) => (
        <Shape key={region.id} region={region} draft={draft} />
      ))}
      <Points events={events} extent={room} />
      <Mounted mounting={shown.sensorMounting} />
    </svg>
  );
};
