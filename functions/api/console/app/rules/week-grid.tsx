import { Chip, Group, Paper, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type PointerEvent, useState } from 'react';
import { useLocale, useTexts } from '../texts/texts.tsx';
import { daysIn, type Schedule, stretchesOf } from './week.ts';

const HOURS = 24;
const zones = Intl.supportedValuesOf('timeZone');
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const atNight: Schedule = { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: ownZone };

const clockOf = (hour: number): string => `${String(hour % HOURS).padStart(2, '0')}:00`;

/** A line at each hour. */
const lines = Array.from({ length: HOURS + 1 }, (_, hour) => `M${hour} 0V7`).join('');

type Hours = Pick<Schedule, 'from' | 'to'>;

/** The hours that somebody drags over in the picture of a week: from the first to the end of the last. */
const useDrag = (onHours: (hours: Hours) => void) => {
  const [first, setFirst] = useState<number | null>(null);
  const hourAt = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(HOURS - 1, Math.max(0, Math.floor(((clientX - left) / width) * HOURS)));
  };
  const to = (begin: number, hour: number) => onHours({ from: clockOf(begin), to: clockOf(hour + 1) });
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      const hour = hourAt(event);
      setFirst(hour);
      to(hour, hour);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      if (first !== null) to(first, hourAt(event));
    },
    onPointerUp: () => setFirst(null),
    onPointerCancel: () => setFirst(null),
  };
};

/** The week as a picture. What is dragged over in it can be entered in the fields above it, too. */
const Week = ({ schedule, onHours }: { schedule: Schedule; onHours: (hours: Hours) => void }) => {
  const names = daysIn(useLocale(), 'short');
  const { rules: texts } = useTexts();
  const ticks = [0, 6, 12, 18, 24];
  return (
    <div className="week">
      <div className="week-days" aria-hidden>
        {names.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <svg viewBox="0 0 24 7" preserveAspectRatio="none" role="img" aria-label={texts.hours} {...useDrag(onHours)}>
        {stretchesOf(schedule).map(({ day, from, length }) => (
          <rect key={`${day} ${from}`} x={from * HOURS} y={day - 0.9} width={length * HOURS} height={0.8} />
        ))}
        <path d={lines} />
      </svg>
      <div className="week-hours" aria-hidden>
        {ticks.map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
};

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
      <Select
        label={texts.zone}
        data={zones.includes(schedule.timeZone) ? zones : [schedule.timeZone, ...zones]}
        value={schedule.timeZone}
        onChange={(timeZone) => timeZone && change({ timeZone })}
        searchable
        limit={50}
      />
    </Group>
  );
};

const Days = ({ schedule, onChange }: TimesProps) => {
  const { rules: texts } = useTexts();
  const names = daysIn(useLocale(), 'short');
  const choose = (values: string[]) => {
    // Without a day it would never hold.
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

/** When a rule holds: always, or on some days of the week from one time to another. */
export const ScheduleFields = ({ value, onChange }: ScheduleProps) => {
  const { rules: texts } = useTexts();
  return (
    <Stack>
      <Switch
        label={texts.schedule}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? atNight : null)}
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
