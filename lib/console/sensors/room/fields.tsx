import { Button, Fieldset, Group, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import type { RoomUpdate, Sensor } from '#openapi';
import { mountings, regionCounts } from '#shared/domain/sensor/room-limits.ts';
import type { Draft, Region } from './draft.ts';
import { useRoomTexts } from './texts.ts';

type Maker = Sensor['manufacturer'];
type NumberFieldProps = {
  label: string;
  hint?: string;
  value: number;
  error: string | undefined;
  onChange: (value: number) => void;
};

const Centimetres = ({ label, hint, value, error, onChange }: NumberFieldProps) => (
  <NumberInput
    label={label}
    description={hint}
    value={value}
    error={error}
    allowDecimal={false}
    step={5}
    onChange={(next) => onChange(Number(next))}
  />
);

type Choices<K extends string> = readonly { value: K; label: string }[];
const entries = <K extends string>(known: object, labels: Record<K, string>): Choices<K> =>
  (Object.keys(known) as K[]).map((value) => ({ value, label: labels[value] }));

type Given = { draft: Draft; room: RoomUpdate; maker: Maker; error: unknown };

/** Fields for the mounting of the sensor and the extent of the room, with the limits of the maker. */
export const RoomFields = ({ draft, room, maker, error }: Given) => {
  const texts = useRoomTexts();
  const limits = mountings[maker][room.sensorMounting];
  const mount = (mounting: RoomUpdate['sensorMounting']) => {
    const usual = mountings[maker][mounting]?.height.usual;
    draft.change({ sensorMounting: mounting, ...(usual !== undefined && { sensorHeight: usual }) });
  };
  const field = (name: 'xMin' | 'xMax' | 'yMin' | 'yMax', most: number | undefined) => (
    <Centimetres
      label={texts[name]}
      value={room[name]}
      error={faultOf(error, name)}
      onChange={(value) => draft.change({ [name]: value })}
      {...(most !== undefined && { hint: texts.upTo(most) })}
    />
  );
  return (
    <Fieldset legend={texts.extent}>
      <Stack gap="xs">
        <NativeSelect
          label={texts.mounting}
          value={room.sensorMounting}
          data={entries(mountings[maker], texts.mountings)}
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
      </Stack>
    </Fieldset>
  );
};

/** Fields for the coordinates of the selected region. */
export const RegionFields = ({ draft, room, maker, error }: Given) => {
  const texts = useRoomTexts();
  const at = room.regions.findIndex(({ id }) => id === draft.chosen);
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
          data={entries(regionCounts[maker].kinds, texts.kinds)}
          error={fault('kind')}
          onChange={({ currentTarget }) => change({ kind: currentTarget.value as Region['kind'] })}
        />
        <div className="pair">
          {field('topLeftX', texts.left)}
          {field('bottomRightX', texts.right)}
          {field('topLeftY', texts.top)}
          {field('bottomRightY', texts.bottom)}
        </div>
        <Group>
          <Button variant="default" size="xs" onClick={() => draft.removeRegion(id)}>
            {texts.removeRegion}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
};
