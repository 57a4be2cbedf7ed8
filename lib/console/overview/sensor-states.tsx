import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Panel } from '../ui/panel.tsx';
import { Loaded } from '../ui/states.tsx';
import { allSensorsQuery } from './watch-queries.ts';

const Count = ({ state, children }: { state: 'active' | 'inactive'; children: ReactNode }) => {
  const { sensors: texts } = useTexts();
  return (
    <div className={`count ${state}`}>
      {children}
      <Anchor component={Link} href={`/sensors?state=${state}`}>
        {texts.states[state]}
      </Anchor>
    </div>
  );
};

const Counts = ({ sensors, offline }: { sensors: number; offline: number }) => {
  const dates = useDates();
  return (
    <Text component="div" className="counts">
      <Count state="active">
        <strong>{dates.number(Math.max(0, sensors - offline))}</strong>
      </Count>
      <Count state="inactive">
        <strong>{dates.number(offline)}</strong>
      </Count>
    </Text>
  );
};

/** Shows the number of sensors in each state, across all customers. */
export const SensorStates = () => {
  const { overview: texts } = useTexts();
  return (
    <Panel title={texts.sensors}>
      <Loaded query={useQuery(allSensorsQuery)} rows={1}>
        {(counts) => <Counts {...counts} />}
      </Loaded>
    </Panel>
  );
};
