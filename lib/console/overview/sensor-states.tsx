import { Anchor, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCustomerId } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { allSensorsQuery, watchQuery } from './watched.ts';

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

const Counts = ({ sensors, silent }: { sensors: number; silent: number }) => {
  const dates = useDates();
  return (
    <Text component="div" className="counts">
      <Count state="active">
        <strong>{dates.number(Math.max(0, sensors - silent))}</strong>
      </Count>
      <Count state="inactive">
        <strong>{dates.number(silent)}</strong>
      </Count>
    </Text>
  );
};

const OfAll = () => (
  <Loaded query={useQuery(allSensorsQuery)} rows={1}>
    {(counts) => <Counts {...counts} />}
  </Loaded>
);

const OfCustomer = ({ customerId }: { customerId: number }) => (
  <Loaded query={useQuery(watchQuery(customerId))} rows={1}>
    {({ sensors, silentSensors: { total } }) => <Counts sensors={sensors} silent={total} />}
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
      {customerId === null ? <OfAll /> : <OfCustomer customerId={customerId} />}
    </Paper>
  );
};
