import { Fieldset, NumberInput, Stack, Switch, Text } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import type { RoomUpdate } from '#openapi';
import type { Region } from './draft.ts';
import { useRoomTexts } from './texts.ts';

type NumberFieldProps = {
  label: string;
  hint?: string;
  value: number;
  error: string | undefined;
  onChange: (value: number) => void;
};

export const Centimetres = ({ label, hint, value, error, onChange }: NumberFieldProps) => (
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

/** The upper limits for heights (cm) and durations (s), the same as in the API. */
const MAX_HEIGHT = 180;
const MAX_DURATION = 300;

type Volume = { zMin?: number; zMax?: number; enterDuration?: number; exitDuration?: number };
type VolumeProps = {
  value: Volume;
  onChange: (changes: Volume) => void;
  faultOf: (name: string) => string | undefined;
};

/** Fields for the monitored heights, and for how long a change must last to count. */
const Volume = ({ value, onChange, faultOf: fault }: VolumeProps) => {
  const texts = useRoomTexts();
  const field = (name: keyof Volume, max: number) => (
    <Centimetres
      label={texts[name]}
      value={value[name] ?? 0}
      error={fault(name)}
      hint={texts.between(name.endsWith('Duration') ? 1 : 0, max)}
      onChange={(next) => onChange({ [name]: next })}
    />
  );
  return (
    <>
      <Fieldset legend={texts.heights}>
        <div className="pair">
          {field('zMin', MAX_HEIGHT)}
          {field('zMax', MAX_HEIGHT)}
        </div>
      </Fieldset>
      <Fieldset legend={texts.durations}>
        <div className="pair">
          {field('enterDuration', MAX_DURATION)}
          {field('exitDuration', MAX_DURATION)}
        </div>
        <Text size="sm">{texts.durationsHint}</Text>
      </Fieldset>
    </>
  );
};

type RoomDetectionProps = { room: RoomUpdate; onChange: (changes: Partial<RoomUpdate>) => void; error: unknown };

/** Fields for what a sensor monitors in the room. */
export const RoomDetection = ({ room, onChange, error }: RoomDetectionProps) => (
  <Volume value={room} onChange={onChange} faultOf={(name) => faultOf(error, name)} />
);

type RegionDetectionProps = {
  region: Region;
  onChange: (changes: Partial<Region>) => void;
  faultOf: (name: string) => string | undefined;
};

/** Fields for what a sensor detects in a region. */
export const RegionDetection = ({ region, onChange, faultOf: fault }: RegionDetectionProps) => {
  const texts = useRoomTexts();
  const toggle = (
    name: 'fallDetectionEnabled' | 'presenceDetectionEnabled' | 'isHorizontal' | 'isLowSnr',
    label: string,
    hint: string,
  ) => (
    <Switch
      label={label}
      description={hint}
      // Without `isLowSnr`, the API assumes a weak signal for beds.
      checked={region[name] ?? (name === 'isLowSnr' && region.kind === 'bed')}
      onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
    />
  );
  return (
    <>
      <Fieldset legend={texts.detection}>
        <Stack gap="sm">
          {toggle('fallDetectionEnabled', texts.fallDetection, texts.fallDetectionHint)}
          {toggle('presenceDetectionEnabled', texts.presenceDetection, texts.presenceDetectionHint)}
          {toggle('isHorizontal', texts.isHorizontal, texts.passedOn)}
          {toggle('isLowSnr', texts.isLowSnr, texts.passedOn)}
        </Stack>
      </Fieldset>
      <Volume value={region} onChange={onChange} faultOf={fault} />
    </>
  );
};
