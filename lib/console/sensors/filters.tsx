import { Chip, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useAlarms } from '../overview/alarms-provider.tsx';
import type { RowKind } from '../overview/board.ts';
import { useDates, useTexts } from '../texts/texts.tsx';

/** The filters by alarms, each with the rows of the board that it includes. */
const alarmFilters = {
  open: ['open'],
  going: ['mine', 'theirs'],
  suspected: ['suspected'],
} as const satisfies Record<string, readonly RowKind[]>;
type AlarmFilter = keyof typeof alarmFilters;
const alarmFilterNames = Object.keys(alarmFilters) as AlarmFilter[];
/** The maximum number of rooms that the API takes at once. */
export const MAX_ROOMS = 37;

const isAlarmFilter = (state: string): state is AlarmFilter => state in alarmFilters;

/** Returns a function from a filter to the ids of its rooms. It returns null for filters that are not about alarms. */
export const useRoomsOf = () => {
  const rows = useAlarms()?.rows ?? [];
  return (state: string): string[] | null => {
    if (!isAlarmFilter(state)) return null;
    const kinds: readonly RowKind[] = alarmFilters[state];
    return [...new Set(rows.filter(({ kind }) => kinds.includes(kind)).map(({ sensorId }) => sensorId))];
  };
};

/** `total`: the number of all rooms, if the list has just counted them. The watch is up to a minute old. */
type ChipsProps = { state: string; total: number | undefined; change: (state: string) => void };
/** A summary of the rooms: how many there are, and how many need attention. Each part filters the list. */
const Chips = ({ state, total, change }: ChipsProps) => {
  const { sensors: texts } = useTexts();
  const dates = useDates();
  const watch = useAlarms()?.watch;
  const roomsOf = useRoomsOf();
  const alarms = alarmFilterNames.map((name) => ({
    value: name,
    label: texts.filters[name],
    count: roomsOf(name)?.length ?? 0,
  }));
  const all = [
    { value: '', label: texts.all, count: total ?? watch?.sensors },
    ...alarms.filter(({ value, count }) => count > 0 || value === state),
    // Normal states have no filter, except when a link leads to one.
    ...(state === 'active' ? [{ value: 'active', label: texts.states.active, count: undefined }] : []),
    { value: 'inactive', label: texts.states.inactive, count: watch?.silentSensors.total },
  ];
  return (
    <Chip.Group value={state} onChange={change}>
      <Group gap="xs" role="radiogroup" aria-label={texts.state} className="chips">
        {all.map(({ value, label, count }) => (
          <Chip key={value} value={value} variant="outline" size="md" radius="sm">
            {count !== undefined && <b>{dates.number(count)}</b>} {label}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
};

type FiltersProps = Omit<ChipsProps, 'change'> & { text: string; change: (changes: Record<string, string>) => void };
/** The search in the list of rooms, and the filters by their state. */
export const Filters = ({ text, state, total, change }: FiltersProps) => {
  const { sensors: texts, search } = useTexts();
  const changeDebounced = useDebouncedCallback((value: string) => change({ search: value }), 300);
  return (
    <Group align="end" justify="space-between">
      <Chips state={state} total={total} change={(value) => change({ state: value })} />
      <TextInput
        type="search"
        label={search}
        placeholder={texts.searchHint}
        defaultValue={text}
        onChange={({ currentTarget }) => changeDebounced(currentTarget.value)}
      />
    </Group>
  );
};
