import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '#lib/console/api/client.ts';
import { useWrite } from '#lib/console/api/write.ts';
import { useCan } from '#lib/console/session/session.tsx';
import { Panel } from '#lib/console/ui/panel.tsx';
import { Loaded } from '#lib/console/ui/states.tsx';
import type { RoomUpdate, Room as RoomView, Sensor } from '#openapi';
import { regionCounts } from '#shared/domain/sensor/room-limits.ts';
import { newestEventsQuery, roomQuery } from '../queries.ts';
import { type Draft, useDraft } from './draft.ts';
import { Drawing } from './drawing.tsx';
import { RegionFields, RoomFields } from './fields.tsx';
import { sidesOf } from './geometry.ts';
import { LastEvents } from './last-events.tsx';
import { useRoomTexts } from './texts.ts';
import { Today } from './today.tsx';
import { Watched } from './watched.tsx';

const Facts = ({ room, draft }: { room: RoomView; draft: Draft }) => {
  const texts = useRoomTexts();
  const can = useCan();
  return (
    <Panel title={texts.regions}>
      <Text>
        {texts.mountings[room.sensorMounting]}, {texts.size(room.xMin + room.xMax, room.yMin + room.yMax)}
      </Text>
      {room.regions.length === 0 && <Text c="dimmed">{texts.noRegions}</Text>}
      <List>
        {room.regions.map((region) => (
          <List.Item key={region.id}>
            {texts.region(texts.kinds[region.kind], region.name, texts.size(...sidesOf(region)))}
            {!region.fallDetectionEnabled && `, ${texts.noFalls}`}
          </List.Item>
        ))}
      </List>
      {can('edit_sensor_room') && (
        <Group mt="sm">
          <Button variant="default" onClick={draft.begin}>
            {texts.change}
          </Button>
        </Group>
      )}
    </Panel>
  );
};

/** Returns the rectangle for a new region in the middle of the room, for users who do not draw one. */
const middleOf = ({ xMin, xMax, yMin, yMax }: RoomUpdate) => {
  const x = Math.round((xMax - xMin) / 2);
  const y = Math.round((yMax - yMin) / 2);
  return { topLeftX: x - 40, topLeftY: y + 40, bottomRightX: x + 40, bottomRightY: y - 40 };
};

type EditProps = { sensor: Sensor; room: RoomUpdate; draft: Draft };
const Edit = ({ sensor, room, draft }: EditProps) => {
  const texts = useRoomTexts();
  const params = { path: { sensorId: sensor.id } };
  const write = useWrite({
    send: () => ok(api.PUT('/sensors/{sensorId}/room', { params, body: room })),
    done: texts.saved,
    refresh: [roomQuery(sensor.id).queryKey],
    onDone: draft.end,
  });
  const { all: maxRegions } = regionCounts[sensor.manufacturer];
  const editorProps = { draft, room, manufacturer: sensor.manufacturer, error: write.error };
  return (
    <Stack>
      <Text size="sm">{texts.hint}</Text>
      <Group>
        <Button
          variant="default"
          disabled={room.regions.length >= maxRegions}
          onClick={() => draft.addRegion(middleOf(room), texts.kinds.default)}
        >
          {texts.add}
        </Button>
        <Text size="sm">{texts.counts(room.regions.length, maxRegions)}</Text>
      </Group>
      <RegionFields {...editorProps} />
      <RoomFields {...editorProps} />
      <Group>
        <Button loading={write.isPending} onClick={() => write.mutate()}>
          {texts.save}
        </Button>
        <Button variant="default" onClick={draft.end}>
          {texts.discard}
        </Button>
      </Group>
    </Stack>
  );
};

const RoomPlan = ({ sensor, room }: { sensor: Sensor; room: RoomView }) => {
  const texts = useRoomTexts();
  const draft = useDraft(room);
  const { data: events = [] } = useQuery(newestEventsQuery(sensor.id));
  return (
    <div className="plan">
      <Stack>
        <Panel title={texts.now}>
          <Drawing manufacturer={sensor.manufacturer} room={room} draft={draft} events={events} />
          <p className="meta">{texts.legend}</p>
        </Panel>
        {!draft.draft && <Watched sensor={sensor} room={room} />}
      </Stack>
      {draft.draft ? (
        <Edit sensor={sensor} room={draft.draft} draft={draft} />
      ) : (
        <Stack>
          <Today sensorId={sensor.id} events={events} />
          <LastEvents sensorId={sensor.id} events={events} />
          <Facts room={room} draft={draft} />
        </Stack>
      )}
    </div>
  );
};

/** Shows the room to scale, with an editor for users who have the permission. */
export const Room = ({ sensor }: { sensor: Sensor }) => {
  const room = useQuery(roomQuery(sensor.id));
  return <Loaded query={room}>{(found) => <RoomPlan sensor={sensor} room={found} />}</Loaded>;
};
