import { TextInput } from '@mantine/core';

const MINUTE = 60_000;

/** Formats a time (ms) as an input value, in the browser's time zone, without seconds. */
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

/** An input for a time (ms) in the browser's time zone. An empty input means null. */
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
