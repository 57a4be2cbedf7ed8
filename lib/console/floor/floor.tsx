import { UserIcon } from '@heroicons/react/24/outline';
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { FloorPlan, SensorGroup } from '#openapi';
import { useGroups } from '../groups/query.ts';
import { openRows, useAlarms } from '../overview/alarms-provider.tsx';
import { useCan, useMe } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Name } from '../ui/name.tsx';
import { Loaded } from '../ui/states.tsx';
import { Arrange } from './arrange.tsx';
import { boxOf, turned, USUAL_ROOM } from './geometry.ts';
import { allSensorsOfQuery, extentsQuery, planQuery } from './queries.ts';
import { RoomCell } from './room-cell.tsx';
import { useRoomLook } from './room-look.ts';
import { useFloorTexts } from './texts.ts';

/** The groups as links, with the number of rooms that someone needs to go to. */
const Groups = ({ groups, current }: { groups: readonly SensorGroup[]; current: SensorGroup }) => {
  const texts = useFloorTexts();
  const alarms = useAlarms();
  const open = alarms ? openRows(alarms) : [];
  if (groups.length < 2) return null;
  return (
    <nav className="floor-groups" aria-label={texts.groups}>
      {groups.map((group) => {
        const count = open.filter(({ sensorId }) => group.sensorIds.includes(sensorId)).length;
        return (
          <Link
            key={group.id}
            href={`/floor?group=${group.id}`}
            aria-current={group.id === current.id ? 'page' : undefined}
          >
            <Name>{group.name}</Name>
            {count > 0 && <span className="count">{count}</span>}
          </Link>
        );
      })}
    </nav>
  );
};

const meanings = ['open', 'mine', 'theirs', 'suspected', 'blind'] as const;

const Legend = () => {
  const texts = useFloorTexts();
  const { sensors } = useTexts();
  return (
    <ul className="legend floor-legend" aria-label={texts.legend}>
      {meanings.map((kind) => (
        <li key={kind} className={`st ${kind === 'blind' ? 'offline' : kind}`}>
          {texts.meanings[kind]}
        </li>
      ))}
      <li className="st plain">
        <UserIcon className="icon" />
        {sensors.presence.yes}
      </li>
      <li className="st vacant">{sensors.presence.no}</li>
    </ul>
  );
};

type ViewProps = { plan: FloorPlan; group: SensorGroup; customerId: number };

/** Returns the sensors, room sizes and names for the rooms on a plan. */
const useRooms = ({ plan, group, customerId }: ViewProps) => {
  const { data: sensors } = useQuery(allSensorsOfQuery(customerId));
  const onPlan = plan.rooms.map(({ sensorId }) => sensorId);
  const { data: extents = new Map() } = useQuery(extentsQuery([...new Set([...onPlan, ...group.sensorIds])].sort()));
  return { sensors, extents, nameOf: (sensorId: string) => sensors?.get(sensorId)?.name ?? sensorId };
};

/** The maximum plan height, as a share of the window height. On phones, the plan scrolls with the page instead. */
const MAX_HEIGHT = '75vh';

const sizeOf = ({ width, height }: FloorPlan, isPhone: boolean) => ({
  aspectRatio: `${width} / ${height}`,
  ...(!isPhone && { width: `min(100%, ${MAX_HEIGHT} * ${width / height})` }),
});

const Plan = ({
  plan,
  group,
  sensors,
  extents,
  nameOf,
}: Omit<ViewProps, 'customerId'> & ReturnType<typeof useRooms>) => {
  const texts = useFloorTexts();
  const lookOf = useRoomLook();
  const isPhone = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  const shown = isPhone && plan.width > plan.height ? turned(plan) : plan;
  const unplaced = group.sensorIds.length - plan.rooms.length;
  return (
    <>
      {plan.rooms.length === 0 && <Text className="empty">{texts.empty}</Text>}
      {plan.rooms.length > 0 && (
        <div className="floor" role="group" aria-label={texts.plan(group.name)} style={sizeOf(shown, isPhone)}>
          {shown.rooms.map((room) => (
            <RoomCell
              key={room.sensorId}
              sensorId={room.sensorId}
              name={nameOf(room.sensorId)}
              look={lookOf(room.sensorId, sensors?.get(room.sensorId))}
              box={boxOf(room, extents.get(room.sensorId) ?? USUAL_ROOM)}
              plan={shown}
            />
          ))}
        </div>
      )}
      {plan.rooms.length > 0 && <Legend />}
      {unplaced > 0 && <Text size="sm">{texts.unplaced(unplaced)}</Text>}
    </>
  );
};

const Floor = ({ plan, group, customerId }: ViewProps) => {
  const texts = useFloorTexts();
  const can = useCan();
  const { display: isDisplay } = useMe();
  const [isArranging, setArranging] = useState(false);
  const rooms = useRooms({ plan, group, customerId });
  if (isArranging)
    return (
      <Arrange
        groupId={group.id}
        plan={plan}
        members={group.sensorIds}
        extents={rooms.extents}
        nameOf={rooms.nameOf}
        label={texts.plan(group.name)}
        onEnd={() => setArranging(false)}
      />
    );
  return (
    <>
      {!isDisplay && can('manage_sensors') && (
        <Button className="floor-arrange" variant="default" onClick={() => setArranging(true)}>
          {texts.arrange}
        </Button>
      )}
      <Plan plan={plan} group={group} {...rooms} />
    </>
  );
};

const NoGroups = () => {
  const texts = useFloorTexts();
  return (
    <Stack className="empty" align="center">
      <Text>{texts.noGroups}</Text>
      <Anchor component={Link} href="/groups">
        {texts.toGroups}
      </Anchor>
    </Stack>
  );
};

const FloorOf = ({ group, customerId }: { group: SensorGroup; customerId: number }) => (
  <Loaded query={useQuery(planQuery(group.id))}>
    {(plan) => <Floor plan={plan} group={group} customerId={customerId} />}
  </Loaded>
);

const Floors = ({ groups, customerId }: { groups: readonly SensorGroup[]; customerId: number }) => {
  const [search] = useSearchParams();
  const sorted = groups.toSorted((a, b) => a.name.localeCompare(b.name));
  const group = sorted.find(({ id }) => String(id) === search.get('group')) ?? sorted[0];
  if (!group) return <NoGroups />;
  return (
    <Stack>
      <Groups groups={sorted} current={group} />
      <FloorOf key={group.id} group={group} customerId={customerId} />
    </Stack>
  );
};

const Loads = ({ customerId }: { customerId: number }) => (
  <Loaded query={useGroups(customerId)}>{(groups) => <Floors groups={groups} customerId={customerId} />}</Loaded>
);

/** The page that shows the rooms in a group, with their states, on the floor plan. */
export const FloorPage = () => {
  const texts = useFloorTexts();
  return (
    <>
      <Head title={texts.title} />
      <WithCustomer>{(customerId) => <Loads customerId={customerId} />}</WithCustomer>
    </>
  );
};
