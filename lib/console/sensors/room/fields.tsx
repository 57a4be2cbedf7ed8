import { Button, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import type { RoomUpdate, Sensor } from '#openapi';
import { mountings, regionCounts } from '#shared/domain/sensor/room-limits.ts';
import { Centimetres, RegionDetection, RoomDetection } from './detection.tsx';
import type { Draft, Region } from './draft.ts';
import { useRoomTexts } from './texts.ts';

type Manufacturer = Sensor['manufacturer'];
type Options<K extends string> = readonly { value: K; label: string }[];
const optionsOf = <K extends string>(known: object, labels: Record<K, string>): Options<K> =>
  (Object.keys(known) as K[]).map((value) => ({ value, label: labels[value] }));

type EditorFieldsProps = { draft: Draft; room: RoomUpdate; manufacturer: Manufacturer; error: unknown };

/** Fields for the sensor mounting and the room size, within the manufacturer's limits. */
export const RoomFields = ({ draft, room, manufacturer, error }: EditorFieldsProps) => {
  const texts = useRoomTexts();
  const limits = mountings[manufacturer][room.sensorMounting];
  const mount = (mounting: RoomUpdate['sensorMounting']) => {
    const usualHeight = mountings[manufacturer][mounting]?.height.usual;
    draft.change({ sensorMounting: mounting, ...(usualHeight !== undefined && { sensorHeight: usualHeight }) });
  };
  const field = (name: 'xMin' | 'xMax' | 'yMin' | 'yMax', max: number | undefined) => (
    <Centimetres
      label={texts[name]}
      value={room[name]}
      error={faultOf(error, name)}
      onChange={(value) => draft.change({ [name]: value })}
      {...(max !== undefined && { hint: texts.upTo(max) })}
    />
  );
  return (
    <Fieldset legend={texts.extent}>
      <Stack gap="xs">
        <NativeSelect
          label={texts.mounting}
          value={room.sensorMounting}
          data={optionsOf(mountings[manufacturer], texts.mountings)}
          error={faultOf(error, 'sensorMounting')}
          onChange={({ currentTarget }) => mount(currentTarget.value as RoomUpdate['sensorMounting'])}
        />
        <div className="pair">
          {field('xMin', limits?.x)}
          {field('xMax', limits?.x)}
          {field('yMax', limits?.y)}
          {field('yMin', 200)}
        </div>
        <Centimetres
          label={texts.height}
          value={room.sensorHeight}
          error={faultOf(error, 'sensorHeight')}
          onChange={(sensorHeight) => draft.change({ sensorHeight })}
          {...(limits && { hint: texts.between(limits.height.min, limits.height.max) })}
        />
        {manufacturer === 'maker_a' && <RoomDetection room={room} onChange={draft.change} error={error} />}
      </Stack>
    </Fieldset>
  );
};

/** Fields for the selected region. */
export const RegionFields = ({ draft, room, manufacturer, error }: EditorFieldsProps) => {
  const texts = useRoomTexts();
  const at = room.regions.findIndex(({ id }) => id === draft.selected);
  const region = room.regions[at];
  if (!region?.id) return null;
  const { id } = region;
  const change = (changes: Partial<Region>) => draft.changeRegion(id, changes);
  const fault = (name: string) => faultOf(error, `regions.${at}.${name}`);
  const field = (name: 'topLeftX' | 'topLeftY' | 'bottomRightX' | 'bottomRightY', label: string) => (
    <Centimetres
      label={label}
      value={region[name]}
      error={fault(name)}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <Fieldset legend={region.name || texts.kinds[region.kind]}>
      <Stack gap="xs">
        <TextInput
          label={texts.name}
          value={region.name}
          maxLength={64}
          error={fault('name')}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <NativeSelect
          label={texts.kind}
          value={region.kind}
          data={optionsOf(regionCounts[manufacturer].kinds, texts.kinds)}
          error={fault('kind')}
          onChange={({ currentTarget }) => change({ kind: currentTarget.value as Region['kind'] })}
        />
        <div className="pair">
          {field('topLeftX', texts.left)}
          {field('bottomRightX', texts.right)}
          {field('topLeftY', texts.top)}
          {field('bottomRightY', texts.bottom)}
        </div>
        <RegionDetection region={region} onChange={change} faultOf={fault} />
        <Group>
          <Button variant="default" size="xs" onClick={() => draft.removeRegion(id)}>
            {texts.removeRegion}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
};
