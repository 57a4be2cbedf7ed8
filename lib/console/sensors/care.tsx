import { Button, Text } from '@mantine/core';
import type { RuleHit } from '#openapi';
import { useWrite } from '../api/write.ts';
import { acknowledge } from '../overview/answer.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';

const Go = ({ hit }: { hit: RuleHit }) => {
  const { hits: texts } = useTexts().sensor;
  const write = useWrite({
    send: () => acknowledge(hit),
    done: texts.going,
    refresh: [['sensor', hit.sensorId, 'hits']],
  });
  return (
    <Button size="xs" onClick={() => write.mutate()} loading={write.isPending}>
      {texts.go}
    </Button>
  );
};

/** Who takes care of a hit since when, or a button to do so. */
export const Care = ({ hit }: { hit: RuleHit }) => {
  const dates = useDates();
  const { acknowledgement: by } = hit;
  if (!by) return <Go hit={hit} />;
  return (
    <>
      <Name>{by.name}</Name>
      <Text size="sm">{dates.exact(by.date)}</Text>
    </>
  );
};
