import { Badge, Button, Text } from '@mantine/core';
import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { type Alarm, carerOf, feedbackOf } from './alarms.ts';
import { useGo, useJudge, useStay } from './answer.ts';
import type { OpenFall } from './falls.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** The time since a time, as a clock that runs: minutes and seconds, from an hour on hours too. */
export const Running = ({ since }: { since: number }) => {
  const dates = useDates();
  // The clock of the browser may be behind that of the service.
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1_000));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const clock = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return (
    <time className="running" dateTime={new Date(since).toISOString()} title={dates.exact(since)}>
      {`${clock}:${two(seconds % 60)}`}
    </time>
  );
};

/** How a fall stands that goes on. */
export const FallBadges = ({ fall, isOnRed = false }: { fall: OpenFall; isOnRed?: boolean }) => {
  const { sensor, overview: texts } = useTexts();
  const { fallState, isSensitive, isSimulated } = fall;
  const look = { color: 'red', size: 'lg', variant: isOnRed ? 'white' : 'filled' };
  return (
    <>
      <Badge {...look}>{sensor.fall[fallState]}</Badge>
      {isSensitive && <Badge {...look}>{texts.sensitive}</Badge>}
      {isSimulated && <Badge {...look}>{texts.simulated}</Badge>}
    </>
  );
};

/** Who takes care of an alarm, and since when. */
export const Carer = ({ alarm }: { alarm: Alarm }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const by = carerOf(alarm);
  if (!by) return null;
  return (
    <Text>
      <Name>{by.name}</Name> {texts.onItSince(dates.second(by.date))}
    </Text>
  );
};

/** What an alarm was, as somebody said. */
export const Was = ({ alarm }: { alarm: Alarm }) => {
  const { sensor, overview: texts } = useTexts();
  const feedback = feedbackOf(alarm);
  return <Text>{feedback ? `${texts.outcome}: ${sensor.hits.outcomes[feedback.classification]}` : texts.noOutcome}</Text>;
};

/** The button of who takes care of an alarm. */
export const Go = ({ alarm }: { alarm: Alarm }) => {
  const { sensor } = useTexts();
  const write = useGo(alarm);
  return (
    <Button size="xl" variant="white" color="red" onClick={() => write.mutate()} loading={write.isPending}>
      {sensor.hits.acknowledge}
    </Button>
  );
};

/** The button of who does not take care of an alarm after all. */
export const Stay = ({ alarm }: { alarm: Alarm }) => {
  const { overview: texts } = useTexts();
  const { id } = useMe();
  const write = useStay(alarm, id);
  if (!alarm.hits.some(({ acknowledgement }) => acknowledgement?.userId === id)) return null;
  return (
    <Button variant="subtle" onClick={() => write.mutate()} loading={write.isPending}>
      {texts.cannotGo}
    </Button>
  );
};

const answers = ['TRUE_POSITIVE', 'FALSE_POSITIVE'] as const;
/** The buttons that say what an alarm was. */
export const ItWas = ({ alarm }: { alarm: Alarm }) => {
  const { sensor, overview: texts } = useTexts();
  const write = useJudge(alarm);
  return (
    <div className="it-was" role="group" aria-label={texts.outcome}>
      <span>{texts.outcome}:</span>
      {answers.map((answer) => (
        <Button
          key={answer}
          size="md"
          variant="default"
          onClick={() => write.mutate(answer)}
          loading={write.isPending && write.variables === answer}
          disabled={write.isPending}
        >
          {sensor.hits.outcomes[answer]}
        </Button>
      ))}
    </div>
  );
};
