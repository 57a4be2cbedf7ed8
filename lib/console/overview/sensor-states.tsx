import { Anchor, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCustomerId } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { sensorsQuery, silentQuery } from './watched.ts';

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

/** Shows the number of sensors in each state. */
export const SensorStates = () => {
  const { overview: texts } = useTexts();
  const customerId = useCustomerId();
  const dates = useDates();
  const all = useQuery(sensorsQuery(customerId));
  const silent = useQuery(silentQuery(customerId));
  const strong = (count: number) => <strong>{dates.number(Math.max(0, count))}</strong>;
  return (
    <Paper component="section" aria-label={texts.sensors} withBorder p="lg">
      <Title order={2} mb="sm">
        {texts.sensors}
      </Title>
      <Text component="div" className="counts">
        <Count state="active">
          <Loaded query={silent} rows={1}>
            {({ total }) => (
              <Loaded query={all} rows={1}>
                {(count) => strong(count - total)}
              </Loaded>
            )}
          </Loaded>
        </Count>
        <Count state="inactive">
          <Loaded query={silent} rows={1}>
            {({ total }) => strong(total)}
          </Loaded>
        </Count>
      </Text>
    </Paper>
  );
};
