import { Button, Group, Select, Text } from '@mantine/core';
import { useDates } from '../texts/texts.tsx';
import { type ChipOption, Chips } from '../ui/chips.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import { type Filter, periods } from './filter.ts';
import { useDeliveryTexts } from './texts.ts';
import type { FilterProps } from './use-filter.ts';

/** Shows that the list is narrowed to one event or one sensor, with a button to show all deliveries. */
const Narrowing = ({ filter: { sensor, event }, change }: FilterProps) => {
  const texts = useDeliveryTexts();
  if (sensor === null && event === null) return null;
  return (
    <Group mb="md">
      <Text>{event === null ? texts.onlySensor : texts.onlyEvent}</Text>
      <Button
        variant="default"
        size="xs"
        onClick={() => change({ sensor: null, event: null, since: null, until: null, days: 1 })}
      >
        {texts.showAll}
      </Button>
    </Group>
  );
};

/** The states in chip order, starting with those that need attention. */
const states = ['retrying', 'failed', 'held', 'pending', 'sending', 'delivered'] as const;

/** The number of deliveries in a state within the period; `isWhole` is false if there are more. */
type Count = { total: number; isWhole: boolean };
/** The counts for individual states, and for all states together. */
export type Counts = Partial<Record<Exclude<Filter['state'], null> | 'all', Count>>;

const StateChips = ({ filter, change, counts }: FilterProps & { counts: Counts }) => {
  const texts = useDeliveryTexts();
  const dates = useDates();
  const textOf = (count: Count | undefined) => count && `${dates.number(count.total)}${count.isWhole ? '' : '+'}`;
  const options: ChipOption[] = [
    { value: '', label: texts.all, count: textOf(counts.all) },
    ...states.map((state) => {
      const count = counts[state];
      return {
        value: state,
        label: texts.states[state],
        count: textOf(count),
        ...(count?.total && { tone: 'amber' as const }),
      };
    }),
  ];
  return (
    <Chips
      label={texts.state}
      options={options}
      value={filter.state ?? ''}
      onChange={(value) => change({ state: states.find((state) => state === value) ?? null })}
    />
  );
};

const BETWEEN = 'between';
const DAY = 86_400_000;

/** The list period: a number of past days, or a range between two times. */
const PeriodSelect = ({ filter: { days }, change }: FilterProps) => {
  const texts = useDeliveryTexts();
  const choose = (value: string | null) => {
    const period = periods.find((known) => String(known) === value) ?? null;
    // At first, the times cover the previous period.
    const since = period === null ? Date.now() - (days ?? 1) * DAY : null;
    change({ days: period, since, until: null });
  };
  return (
    <Select
      aria-label={texts.period}
      checkIconPosition="right"
      allowDeselect={false}
      data={[
        ...periods.map((period) => ({ value: String(period), label: texts.periods[period] })),
        { value: BETWEEN, label: texts.between },
      ]}
      value={days === null ? BETWEEN : String(days)}
      onChange={choose}
    />
  );
};

type ReceiverSelectProps = {
  /** The receivers by id; '' stands for all receivers. */
  receivers: Readonly<Record<string, string>>;
  receiver: string;
  onReceiver: (receiver: string) => void;
};
const ReceiverSelect = ({ receivers, receiver, onReceiver }: ReceiverSelectProps) => {
  const texts = useDeliveryTexts();
  return (
    <Select
      aria-label={texts.receiver}
      checkIconPosition="right"
      allowDeselect={false}
      data={Object.entries({ '': texts.allReceivers, ...receivers }).map(([value, label]) => ({ value, label }))}
      value={receiver}
      onChange={(value) => onReceiver(value ?? '')}
    />
  );
};

/** Filters for a delivery list: state, receiver and period. */
export const Filters = ({
  filter,
  change,
  counts,
  ...select
}: FilterProps & { counts: Counts } & ReceiverSelectProps) => {
  const texts = useDeliveryTexts();
  return (
    <>
      <Narrowing filter={filter} change={change} />
      <div className="list-filters">
        <StateChips filter={filter} change={change} counts={counts} />
        <ReceiverSelect {...select} />
        <PeriodSelect filter={filter} change={change} />
      </div>
      {filter.days === null && (
        <Group align="end" mb="md">
          <TimeInput label={texts.since} value={filter.since} onChange={(since) => change({ since })} />
          <TimeInput label={texts.until} value={filter.until} onChange={(until) => change({ until })} />
        </Group>
      )}
    </>
  );
};
