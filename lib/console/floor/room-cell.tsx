import { EyeSlashIcon, SignalSlashIcon, UserIcon } from '@heroicons/react/24/outline';
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FloorPlan } from '#openapi';
import { ElapsedTime } from '../overview/elapsed.tsx';
import { shortName } from '../overview/room-name.ts';
import { useTexts } from '../texts/texts.tsx';
import { GoingIcon, LyingIcon, UnsureIcon } from '../ui/state-icons.tsx';
import type { Box } from './geometry.ts';
import type { RoomLook } from './room-look.ts';
import { useFloorTexts } from './texts.ts';

const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;

/** Returns the style that centers a rectangle at a point on a plan. */
const placedAt = ({ x, y }: Box, width: number, height: number, plan: FloorPlan) => ({
  left: percent(x - width / 2, plan.width),
  top: percent(y - height / 2, plan.height),
  width: percent(width, plan.width),
  height: percent(height, plan.height),
});

/** The rotated room walls, and the sensor position. */
export const Walls = ({ box, plan, className }: { box: Box; plan: FloorPlan; className: string }) => (
  <span
    className={`floor-walls ${className}`}
    style={{ ...placedAt(box, box.width, box.depth, plan), transform: `rotate(${box.rotation}deg)` }}
  />
);

/** Returns the style for the text in a room. The text is always upright. */
export const labelStyle = (box: Box, plan: FloorPlan) => placedAt(box, box.label.width, box.label.height, plan);

const icons: Readonly<Record<RoomLook['kind'], ReactNode>> = {
  open: <LyingIcon />,
  mine: <GoingIcon />,
  theirs: <GoingIcon />,
  suspected: <UnsureIcon />,
  offline: <SignalSlashIcon className="icon" />,
  unwatched: <EyeSlashIcon className="icon" />,
  occupied: <UserIcon className="icon" />,
  vacant: null,
  plain: null,
};

/** The room state in words, or whether anyone is there. A normal state has no color. */
const State = ({ look }: { look: RoomLook }) => {
  const { overview, situations, sensors } = useTexts();
  const texts = useFloorTexts();
  if (look.kind === 'plain') return null;
  if (look.kind === 'occupied')
    return (
      <span className="floor-state">
        {icons.occupied}
        <VisuallyHidden>{sensors.presence.yes}</VisuallyHidden>
      </span>
    );
  const words = (): string => {
    if (look.kind === 'vacant') return sensors.presence.no;
    if (!('row' in look)) return look.kind === 'offline' ? sensors.states.inactive : texts.notWatched;
    const [{ subject, alarm }] = look.row.items;
    if (look.kind === 'mine') return overview.youAreOnIt;
    if (look.kind === 'theirs') return overview.isOnIt(look.row.acknowledgement?.name ?? '');
    if (look.kind === 'suspected') return overview.suspectedFall;
    return subject === 'fall' || !alarm ? overview.fall : situations[alarm.hits[0].situation];
  };
  return (
    <span className="floor-state">
      {icons[look.kind]}
      <span>
        {words()} {'row' in look && <ElapsedTime since={look.row.since} />}
      </span>
    </span>
  );
};

type RoomCellProps = { sensorId: string; name: string; look: RoomLook; box: Box; plan: FloorPlan };

/** A room on a plan, shown as a link with its number and state. */
export const RoomCell = ({ sensorId, name, look, box, plan }: RoomCellProps) => {
  const isEscalating = 'row' in look && look.kind === 'open' && look.row.step > 0;
  const kind = isEscalating ? 'open escalating' : look.kind;
  const className = kind === 'plain' ? '' : kind;
  return (
    <>
      <Walls box={box} plan={plan} className={className} />
      <Link
        href={'row' in look ? `/alarms/${sensorId}` : `/sensors/${sensorId}`}
        className={`floor-room ${className}`}
        style={labelStyle(box, plan)}
      >
        <VisuallyHidden>{name}</VisuallyHidden>
        <bdi className="floor-number" aria-hidden>
          {shortName(name)}
        </bdi>
        <State look={look} />
      </Link>
    </>
  );
};
