import { Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useAlarms } from '../overview/alarms-provider.tsx';
import type { RowKind } from '../overview/board.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { type ChipOption, Chips } from '../ui/chips.tsx';

/** The alarm filters, each with the board rows it includes. */
const alarmFilters = {
  open: ['open'],
  going: ['mine', 'theirs'],
  suspected: ['suspected'],
} as const satisfies Record<string, readonly RowKind[]>;
type AlarmFilter = keyof typeof alarmFilters;
const alarmFilterNames = Object.keys(alarmFilters) as AlarmFilter[];
/** The count colors, the same as the state colors. */
const tones = { open: 'red', going: 'blue', suspected: 'amber' } as const satisfies Record<AlarmFilter, string>;
/** The maximum number of rooms the API takes at once. */
export const MAX_ROOMS = 37;

const isAlarmFilter = (state: string): state is AlarmFilter => state in alarmFilters;

/** Returns a function that maps a filter to room ids. It returns null for filters that are not about alarms. */
export const useRoomsOf = () => {
  const rows = useAlarms()?.rows ?? [];
  return (state: string): string[] | null => {
    if (!isAlarmFilter(state)) return null;
    const kinds: readonly RowKind[] = alarmFilters[state];
    return [...new Set(rows.filter(({ kind }) => kinds.includes(kind)).map(({ sensorId }) => sensorId))];
  };
};

/**
 * `total` is the number of rooms, if the list has just counted them. Otherwise, the number comes from the watch, which
 * is up to a minute old.
 */
type ChipsProps = { state: string; total: number | undefined; change: (state: string) => void };
/** A room summary: how many there are, and how many need attention. Each part filters the list. */
const RoomChips = ({ state, total, change }: ChipsProps) => {
  const { sensors: texts } = useTexts();
  const dates = useDates();
  const watch = useAlarms()?.watch;
  const roomsOf = useRoomsOf();
  const alarms = alarmFilterNames.map((name) => ({ name, count: roomsOf(name)?.length ?? 0 }));
  const textOf = (count: number | undefined) => (count === undefined ? undefined : dates.number(count));
  const all = total ?? watch?.sensors;
  const offline = watch?.silentSensors.total;
  const options: ChipOption[] = [
    { value: '', label: texts.all, count: textOf(all) },
    ...alarms
      .filter(({ name, count }) => count > 0 || name === state)
      .map(({ name, count }) => ({ value: name, label: texts.filters[name], count: textOf(count), tone: tones[name] })),
    // Normal states have no filter, unless a link selected one.
    ...(state === 'active' ? [{ value: 'active', label: texts.states.active }] : []),
    {
      value: 'inactive',
      label: texts.states.inactive,
      count: textOf(offline),
      tone: offline ? ('amber' as const) : undefined,
    },
  ];
  return <Chips label={texts.state} options={options} value={state} onChange={change} />;
};

type FiltersProps = Omit<ChipsProps, 'change'> & { text: string; change: (changes: Record<string, string>) => void };
/** The search in the room list, and the filters by state. */
export const Filters = ({ text, state, total, change }: FiltersProps) => {
  const { sensors: texts, search } = useTexts();
  const changeDebounced = useDebouncedCallback((value: string) => change({ search: value }), 300);
  return (
    <Group align="end" justify="space-between">
      <RoomChips state={state} total={total} change={(value) => change({ state: value })} />
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
