import { Button, Chip, Group, Input, Text, TextInput } from '@mantine/core';
import { faultOf, Problem } from '#lib/client/problem.ts';
import type { Hours } from './entries.ts';
import { formatHours, useRosterTexts } from './texts.ts';

/**
 * Returns the API's error message for a field in any entry. A roster change replaces all entries, so the position of an
 * entry in the request means nothing to the user.
 */
export const faultIn = (error: unknown, field: string): string | undefined => {
  if (!(error instanceof Problem)) return undefined;
  const path = error.faults.find((fault) => fault.path.endsWith(`.${field}`))?.path;
  return path === undefined ? undefined : faultOf(error, path);
};

/** The maximum number of suggested hours, taken from other shifts. */
const MAX_USUAL = 4;

type HoursProps = { value: Hours; onChange: (hours: Hours) => void; usual: readonly Hours[]; error: unknown };

/** Fields for a shift's start and end times, with the hours of other shifts to choose from. */
export const HoursFields = ({ value, onChange, usual, error }: HoursProps) => {
  const { dialog: texts } = useRosterTexts();
  const field = (name: 'from' | 'to') => (
    <TextInput
      type="time"
      label={texts[name]}
      required
      value={value[name]}
      error={faultIn(error, name)}
      onChange={({ currentTarget }) => onChange({ ...value, [name]: currentTarget.value })}
    />
  );
  return (
    <>
      {usual.length > 0 && (
        <Group gap="xs" role="group" aria-label={texts.usual}>
          {usual.slice(0, MAX_USUAL).map((hours) => (
            <Button key={formatHours(hours)} variant="default" size="xs" onClick={() => onChange(hours)}>
              {formatHours(hours)}
            </Button>
          ))}
        </Group>
      )}
      <Group align="start" grow>
        {field('from')}
        {field('to')}
      </Group>
      {value.from > value.to && <Text size="sm">{texts.overMidnight}</Text>}
      {value.from !== '' && value.from === value.to && <Text size="sm">{texts.wholeDay}</Text>}
    </>
  );
};

type DaysProps = {
  days: readonly { date: string; label: string; isPast: boolean }[];
  value: readonly string[];
  onChange: (dates: string[]) => void;
  error: string | undefined;
};

export const DayFields = ({ days, value, onChange, error }: DaysProps) => {
  const { dialog: texts } = useRosterTexts();
  return (
    <Input.Wrapper label={texts.days} labelElement="div" error={error}>
      <Group gap="xs" role="group" aria-label={texts.days} my="xs">
        <Chip.Group multiple value={[...value]} onChange={onChange}>
          {days.map(({ date, label, isPast }) => (
            <Chip key={date} value={date} size="sm" disabled={isPast}>
              {label}
            </Chip>
          ))}
        </Chip.Group>
      </Group>
    </Input.Wrapper>
  );
};
