import { Chip, Group, Paper, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { browserZone, ZoneSelect } from '../ui/zone-select.tsx';
import { daysIn, type Schedule } from './week.ts';
import { Week } from './week-picture.tsx';

const NIGHTS: Schedule = { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: browserZone };

type TimesProps = { schedule: Schedule; onChange: (schedule: Schedule) => void };
const Times = ({ schedule, onChange }: TimesProps) => {
  const { rules: texts } = useTexts();
  const change = (part: Partial<Schedule>) => onChange({ ...schedule, ...part });
  return (
    <Group align="end">
      <TextInput
        type="time"
        label={texts.from}
        required
        value={schedule.from}
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <TextInput
        type="time"
        label={texts.to}
        required
        value={schedule.to}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
      <ZoneSelect value={schedule.timeZone} onChange={(timeZone) => change({ timeZone })} />
    </Group>
  );
};

const Days = ({ schedule, onChange }: TimesProps) => {
  const { rules: texts } = useTexts();
  const names = daysIn(useLocale(), 'short');
  const choose = (values: string[]) => {
    // A schedule without any days would never apply, so the last day cannot be removed.
    if (values.length > 0) onChange({ ...schedule, days: values.map(Number).toSorted((a, b) => a - b) });
  };
  return (
    <Group gap="xs" role="group" aria-label={texts.days}>
      <Chip.Group multiple value={schedule.days.map(String)} onChange={choose}>
        {names.map((name, at) => (
          <Chip key={name} value={String(at + 1)} size="sm">
            {name}
          </Chip>
        ))}
      </Chip.Group>
    </Group>
  );
};

type ScheduleProps = { value: Schedule | null; onChange: (schedule: Schedule | null) => void };

/** Fields for a rule schedule: always, or on some weekdays between two times. */
export const ScheduleFields = ({ value, onChange }: ScheduleProps) => {
  const { rules: texts } = useTexts();
  return (
    <Stack>
      <Switch
        label={texts.schedule}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? NIGHTS : null)}
      />
      {value && (
        <Paper withBorder p="md">
          <Stack>
            <Days schedule={value} onChange={onChange} />
            <Times schedule={value} onChange={onChange} />
            <Week schedule={value} onHours={(hours) => onChange({ ...value, ...hours })} />
            {value.from > value.to && <Text size="sm">{texts.overMidnight}</Text>}
          </Stack>
        </Paper>
      )}
    </Stack>
  );
};
