import { Button, Group, Select, Text } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import type { Filter, FilterProps } from './filter.ts';

/** Shows that the list is narrowed to one event or one sensor, with a button to show all. */
const Narrowing = ({ filter: { sensor, event }, change }: FilterProps) => {
  const { deliveries: texts } = useTexts();
  if (sensor === null && event === null) return null;
  return (
    <Group mb="md">
      <Text>{event === null ? texts.onlySensor : texts.onlyEvent}</Text>
      <Button variant="default" size="xs" onClick={() => change({ sensor: null, event: null, since: null })}>
        {texts.showAll}
      </Button>
    </Group>
  );
};

export const Filters = ({ filter, change }: FilterProps) => {
  const { deliveries: texts } = useTexts();
  return (
    <>
      <Narrowing filter={filter} change={change} />
      <Group align="end" mb="md">
        <Select
          label={texts.state}
          placeholder={texts.any}
          data={Object.entries(texts.states).map(([value, label]) => ({ value, label }))}
          value={filter.state}
          onChange={(state) => change({ state: state as Filter['state'] })}
          clearable
        />
        <TimeInput label={texts.since} value={filter.since} onChange={(since) => change({ since })} />
        <TimeInput label={texts.until} value={filter.until} onChange={(until) => change({ until })} />
      </Group>
    </>
  );
};
