import { Alert, Anchor, Badge, Paper, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import type { OpenFall } from './falls.ts';

const Fall = ({ fall: { hit, since, state } }: { fall: OpenFall }) => {
  const { sensor } = useTexts();
  const dates = useDates();
  const now = useNow();
  return (
    <Paper component="li" className="fall" p="md" radius="md">
      <Anchor component={Link} href={`/sensors/${hit.sensorId}`} fw={700} fz="lg">
        {hit.sensor?.name ?? hit.sensorId}
      </Anchor>
      {state && <Badge color="red">{sensor.fall[state]}</Badge>}
      <Text>
        <time dateTime={new Date(since).toISOString()} title={dates.exact(since)}>
          {dates.ago(since, now)}
        </time>
      </Text>
    </Paper>
  );
};

/** The falls that are not over, the newest first. */
export const OpenFalls = ({ falls }: { falls: readonly OpenFall[] }) => {
  const { overview: texts } = useTexts();
  return (
    <div aria-live="polite">
      {falls.length === 0 ? (
        <Alert color="green">{texts.noFalls}</Alert>
      ) : (
        <ul className="falls">
          {falls.map((fall) => (
            <Fall key={fall.hit.sensorId} fall={fall} />
          ))}
        </ul>
      )}
    </div>
  );
};
