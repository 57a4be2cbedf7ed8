import { Anchor, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useCustomerId } from '../shell/customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';

const states = ['active', 'inactive'] as const;

/** The number of sensors in a state. The API reads the whole list for it, so it is polled less often than the rest. */
const useCount = (isActive: boolean, customerId: number | null) =>
  useQuery({
    queryKey: ['sensors', 'count', isActive, customerId],
    refetchInterval: 30_000,
    queryFn: async () => {
      const query = { perPage: 1, isActive: isActive ? ('true' as const) : ('false' as const) };
      const params = { query: { ...query, ...(customerId !== null && { customerId }) } };
      const [page] = await ok(api.GET('/sensors', { params }));
      return page?.total ?? 0;
    },
  });

const Count = ({ state }: { state: (typeof states)[number] }) => {
  const { sensors: texts } = useTexts();
  const dates = useDates();
  const count = useCount(state === 'active', useCustomerId());
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
