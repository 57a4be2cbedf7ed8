import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { SensorGroup } from '#openapi';
import { RoomState, useAlarmsOf } from '../overview/room-state.tsx';
import { useCan } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { List } from '../ui/list.tsx';
import { NameLink } from '../ui/name.tsx';
import { useGroups } from './query.ts';

/** The states of all rooms in a group that have alarms. */
const GroupState = ({ sensorIds }: SensorGroup) => {
  const sensors = [...new Set(useAlarmsOf(sensorIds).map(({ sensorId }) => sensorId))];
  return sensors.map((sensorId) => <RoomState key={sensorId} sensorId={sensorId} />);
};

const Groups = ({ customerId }: { customerId: number }) => {
  const { groups: texts, setup } = useTexts();
  const dates = useDates();
  return (
    <List<SensorGroup>
      label={texts.title}
      query={useGroups(customerId)}
      rowKey={({ id }) => id}
      empty={texts.empty}
      columns={[
        { head: setup.name, cell: ({ id, name }) => <NameLink href={`/groups/${id}`}>{name}</NameLink> },
        { head: texts.alarms, cell: (group) => <GroupState {...group} /> },
        { head: texts.sensors, cell: ({ sensorIds }) => dates.number(sensorIds.length) },
        { head: setup.changed, cell: ({ updateDate }) => dates.dateTime(updateDate), isMinor: true },
      ]}
    />
  );
};

export const GroupsPage = () => {
  const { groups: texts } = useTexts();
  const can = useCan();
  return (
    <>
      <Head title={texts.title}>
        {can('manage_sensors') && (
          <Button component={Link} href="/groups/new">
            {texts.create}
          </Button>
        )}
      </Head>
      <Text mb="md">{texts.explain}</Text>
      <WithCustomer>{(customerId) => <Groups customerId={customerId} />}</WithCustomer>
    </>
  );
};
