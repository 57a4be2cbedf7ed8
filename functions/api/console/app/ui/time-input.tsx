import { TextInput } from '@mantine/core';

const MINUTE = 60_000;

/** A time (ms) as a field of a form has it: in the zone of the browser, without seconds. */
const textOf = (time: number | null): string => {
  if (time === null) return '';
  const zone = new Date(time).getTimezoneOffset() * MINUTE;
  return new Date(time - zone).toISOString().slice(0, 16);
};

type TimeInputProps = {
  label: string;
  description?: string;
  value: number | null;
  onChange: (time: number | null) => void;
};

/** Enters a point in time, in the zone of the browser; null: none. */
export const TimeInput = ({ value, onChange, ...rest }: TimeInputProps) => (
  <TextInput
    type="datetime-local"
    {...rest}
    value={textOf(value)}
    onChange={({ currentTarget }) => {
      const time = Date.parse(currentTarget.value);
      onChange(Number.isNaN(time) ? null : time);
    }}
  />
);
