import { Badge, Button, Text } from '@mantine/core';
import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { useAcknowledge, useRecordOutcome, useReopen } from './acknowledge.ts';
import { type Alarm, acknowledgementOf, feedbackOf } from './alarms.ts';
import type { OpenFall } from './falls.ts';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A running clock of the time since `since`: minutes and seconds, and hours from the first hour on. */
export const ElapsedTime = ({ since }: { since: number }) => {
  const dates = useDates();
  // The clock of the browser may be behind that of the service.
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1_000));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const clock = hours > 0 ? `${hours}:${twoDigits(minutes)}` : String(minutes);
  return (
    <time className="running" dateTime={new Date(since).toISOString()} title={dates.exact(since)}>
      {`${clock}:${twoDigits(seconds % 60)}`}
    </time>
  );
};

/** Badges with the state of an open fall. */
export const FallBadges = ({ fall, isOnRed = false }: { fall: OpenFall; isOnRed?: boolean }) => {
  const { sensor, overview: texts } = useTexts();
  const { fallState, isSensitive, isSimulated } = fall;
  const badge = { color: 'red', size: 'lg', variant: isOnRed ? 'white' : 'filled' };
  return (
    <>
      <Badge {...badge}>{sensor.fall[fallState]}</Badge>
      {isSensitive && <Badge {...badge}>{texts.sensitive}</Badge>}
      {isSimulated && <Badge {...badge}>{texts.simulated}</Badge>}
    </>
  );
};

/** Who has acknowledged an alarm, and when. */
export const AcknowledgedBy = ({ alarm, isClosed = false }: { alarm: Alarm; isClosed?: boolean }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const by = acknowledgementOf(alarm);
  if (!by) return null;
  const time = dates.second(by.date);
  return (
    <Text>
      <Name>{by.name}</Name> {isClosed ? texts.acknowledgedAt(time) : texts.onItSince(time)}
    </Text>
  );
};

/** The recorded outcome of an alarm. */
export const OutcomeText = ({ alarm }: { alarm: Alarm }) => {
  const { sensor, overview: texts } = useTexts();
  const feedback = feedbackOf(alarm);
  return (
    <Text>{feedback ? `${texts.outcome}: ${sensor.hits.outcomes[feedback.classification]}` : texts.noOutcome}</Text>
  );
};

/** The button that acknowledges an alarm. */
export const AcknowledgeButton = ({ alarm }: { alarm: Alarm }) => {
  const { sensor } = useTexts();
  const write = useAcknowledge(alarm);
  return (
    <Button size="xl" variant="white" color="red" onClick={() => write.mutate()} loading={write.isPending}>
      {sensor.hits.acknowledge}
    </Button>
  );
};

/** The button that withdraws the acknowledgement of the user. */
export const ReopenButton = ({ alarm }: { alarm: Alarm }) => {
  const { overview: texts } = useTexts();
  const { id } = useMe();
  const write = useReopen(alarm, id);
  if (!alarm.hits.some(({ acknowledgement }) => acknowledgement?.userId === id)) return null;
  return (
    <Button variant="subtle" onClick={() => write.mutate()} loading={write.isPending}>
      {texts.cannotGo}
    </Button>
  );
};

const outcomes = ['TRUE_POSITIVE', 'FALSE_POSITIVE'] as const;
/** The buttons that record the outcome of an alarm. */
export const OutcomeButtons = ({ alarm }: { alarm: Alarm }) => {
  const { sensor, overview: texts } = useTexts();
  const write = useRecordOutcome(alarm);
  return (
    <div className="it-was" role="group" aria-label={texts.outcome}>
      <span>{texts.outcome}:</span>
      {outcomes.map((outcome) => (
        <Button
          key={outcome}
          size="md"
          variant="default"
          onClick={() => write.mutate(outcome)}
          loading={write.isPending && write.variables === outcome}
          disabled={write.isPending}
        >
          {sensor.hits.outcomes[outcome]}
        </Button>
      ))}
    </div>
  );
};
