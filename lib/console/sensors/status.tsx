import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Sensor, SensorStatus } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { isOpen } from '../overview/falls.ts';
import { RoomState } from '../overview/room-state.tsx';
import { useCan } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { useNow } from '../ui/now.ts';
import { State } from '../ui/state.tsx';
import { LyingIcon } from '../ui/state-icons.tsx';
import { Loaded } from '../ui/states.tsx';
import { statusQuery } from './queries.ts';

const DeleteSensorButton = ({ sensor: { id: sensorId } }: { sensor: Sensor }) => {
  const { sensor: texts, remove } = useTexts();
  const confirm = useConfirm();
  const [, go] = useLocation();
  const write = useWrite({
    send: () => ok(api.DELETE('/sensors/{sensorId}', { params: { path: { sensorId } } })),
    done: texts.deleted,
    refresh: [['sensors']],
    onDone: () => go('/sensors'),
  });
  const ask = async () => {
    const question = { title: texts.deleteTitle, text: texts.deleteText, action: remove };
    if (await confirm(question)) write.mutate();
  };
  return (
    <Button variant="default" size="xs" loading={write.isPending} onClick={() => void ask()}>
      {remove}
    </Button>
  );
};

const Facts = ({ sensor, status }: { sensor: Sensor; status: SensorStatus }) => {
  const { sensor: texts, never } = useTexts();
  const can = useCan();
  const dates = useDates();
  const now = useNow(5_000);
  const { isActive, lastSeen, fallState, presence, learning, firmwareVersion } = status;
  const occupied = presence ? 'yes' : 'no';
  return (
    <Group gap="sm">
      <RoomState sensorId={sensor.id} isActive={isActive} />
      {fallState !== null && isOpen(fallState) && (
        <State kind="plain" icon={<LyingIcon />}>
          {texts.fall[fallState]}
        </State>
      )}
      <Text>{texts.presence[presence === null ? 'unknown' : occupied]}</Text>
      <Text c="dimmed">
        {texts.lastSeen}: {lastSeen === null ? never : dates.ago(lastSeen, now)}
      </Text>
      <Text c="dimmed">{texts.firmwareIs(firmwareVersion)}</Text>
      {learning.active && learning.endDate !== null && (
        <Badge>{texts.learningUntil(dates.dateTime(learning.endDate))}</Badge>
      )}
      {!isActive && can('manage_sensors') && <DeleteSensorButton sensor={sensor} />}
    </Group>
  );
};

export const Status = ({ sensor }: { sensor: Sensor }) => {
  const status = useQuery(statusQuery(sensor.id));
  return (
    <Loaded query={status} rows={1}>
      {(found) => <Facts sensor={sensor} status={found} />}
    </Loaded>
  );
};
