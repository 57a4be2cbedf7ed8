import { Alert, Anchor, Badge, Paper, Text, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { fallKey, type OpenFall } from './falls.ts';

const Since = ({ time }: { time: number }) => {
  const dates = useDates();
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={dates.exact(time)}>
      {dates.ago(time, now)}
    </time>
  );
};

const Fall = ({ fall: { sensorId, name, since, fallState, isSensitive, isSimulated } }: { fall: OpenFall }) => {
  const { sensor, overview: texts } = useTexts();
  return (
    <Paper component="li" className="fall" p="md" radius="md">
      <Anchor component={Link} href={`/sensors/${sensorId}`} fw={700} fz="lg">
        <Name>{name}</Name>
      </Anchor>
      <Badge color="red">{sensor.fall[fallState]}</Badge>
      {isSensitive && <Badge variant="outline">{texts.sensitive}</Badge>}
      {isSimulated && <Badge variant="outline">{texts.simulated}</Badge>}
      <Text>
        <Since time={since} />
      </Text>
    </Paper>
  );
};

type OpenFallsProps = { falls: readonly OpenFall[]; more: number; isWatched: boolean };
/**
 * Lists the open falls, newest first. A screen reader announces new falls, but not the passing seconds. That there is none
 * is green only where all of the home is watched.
 */
export const OpenFalls = ({ falls, more, isWatched }: OpenFallsProps) => {
  const { overview: texts } = useTexts();
  return (
    <>
      <div role="status">
        {falls.length === 0 ? (
          <Alert color={isWatched ? 'green' : 'gray'} role="note">
            {texts.noFalls}
          </Alert>
        ) : (
          <VisuallyHidden>{`${texts.falls}: ${falls.map(({ name }) => name).join(', ')}`}</VisuallyHidden>
        )}
      </div>
      {falls.length > 0 && (
        <ul className="falls">
          {falls.map((fall) => (
            <Fall key={fallKey(fall)} fall={fall} />
          ))}
        </ul>
      )}
      {more > 0 && <Text mt="sm">{texts.moreFalls(more)}</Text>}
    </>
  );
};
