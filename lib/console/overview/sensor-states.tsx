import { Anchor, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCustomerId } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { allSensorsQuery, watchQuery } from './watch-queries.ts';

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

const AllCounts = () => (
  <Loaded query={useQuery(allSensorsQuery)} rows={1}>
    {(counts) => <Counts {...counts} />}
  </Loaded>
);

const CustomerCounts = ({ customerId }: { customerId: number }) => (
  <Loaded query={useQuery(watchQuery(customerId))} rows={1}>
    {({ sensors, silentSensors: { total } }) => <Counts sensors={sensors} offline={total} />}
  </Loaded>
);

/** Shows the number of sensors in each state. */
export const SensorStates = () => {
  const { overview: texts } = useTexts();
  const customerId = useCustomerId();
  return (
    <Paper component="section" aria-label={texts.sensors} withBorder p="lg">
      <Title order={2} mb="sm">
        {texts.sensors}
      </Title>
      {customerId === null ? <AllCounts /> : <CustomerCounts customerId={customerId} />}
    </Paper>
  );
};
