import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { RuleHit } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import type { Look } from '../ui/chart.ts';
import { useNow } from '../ui/now.ts';
import { Plot } from '../ui/plot.tsx';
import { HOUR, hourly } from './hits.ts';

const looks: readonly Look[] = [{ kind: 'bars', color: '#0c8599' }];

/** A chart of the number of rule hits in each of the last 24 hours. */
export const HitsChart = ({ hits }: { hits: readonly RuleHit[] }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const hour = Math.floor(useNow(60_000) / HOUR) * HOUR;
  const data = useMemo(() => hourly(hits, hour + HOUR - 1), [hits, hour]);
  const timeOf = (seconds: number) => dates.clock(seconds * 1_000);
  return (
    <>
      <Plot label={`${texts.hits}: ${hits.length}`} data={data} looks={looks} after={3_600} timeOf={timeOf} />
      <Text size="sm" c="dimmed">
        {hits.length === 0 ? texts.noHits : texts.hitsIn(hits.length)}
      </Text>
    </>
  );
};
