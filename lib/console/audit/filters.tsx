import { Button, Group, Select } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';
import { TimeInput } from '../ui/time-input.tsx';
import type { FilterProps } from './filter.ts';
import { useAuditTexts } from './texts.ts';

const dataOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

export const Filters = ({ filter, change }: FilterProps) => {
  const { deliveries } = useTexts();
  const texts = useAuditTexts();
  const isOfOne = filter.object !== null || filter.actor !== null || filter.of !== null;
  return (
    <Group align="end" mb="md">
      <Select
        label={texts.object}
        placeholder={deliveries.any}
        data={dataOf(texts.kinds)}
        value={filter.kind}
        onChange={(kind) => change({ kind, object: null })}
        clearable
      />
      <Select
        label={texts.result}
        placeholder={deliveries.any}
        data={dataOf(texts.results)}
        value={filter.refused}
        onChange={(refused) => change({ refused })}
        clearable
      />
      <TimeInput label={deliveries.since} value={filter.since} onChange={(since) => change({ since })} />
      <TimeInput label={deliveries.until} value={filter.until} onChange={(until) => change({ until })} />
      {isOfOne && (
        <Button variant="default" onClick={() => change({ object: null, kind: null, actor: null, of: null })}>
          {deliveries.showAll}
        </Button>
      )}
    </Group>
  );
};
