import { Anchor, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useCustomerId } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { sensorCount } from './sensor-count.ts';

const states = ['active', 'inactive'] as const;

const Count = ({ state }: { state: (typeof states)[number] }) => {
  const { sensors: texts } = useTexts();
  const dates = useDates();
  const count = useQuery(sensorCount(state === 'active', useCustomerId()));
  return (
    <div className={`count ${state}`}>
      <Loaded query={count} rows={1}>
        {(total) => <strong>{dates.number(total)}</strong>}
      </Loaded>
      <Anchor component={Link} href={`/sensors?state=${state}`}>
        {texts.states[state]}
      </Anchor>
    </div>
  );
};

/** Shows the number of sensors in each state. */
export const SensorStates = () => {
  const { overview: texts } = useTexts();
  return (
    <Paper component="section" aria-label={texts.sensors} withBorder p="lg">
      <Title order={2} mb="sm">
        {texts.sensors}
      </Title>
      <Text component="div" className="counts">
        {states.map((state) => (
          <Count key={state} state={state} />
        ))}
      </Text>
    </Paper>
  );
};
