import { Text, Title } from '@mantine/core';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { type Alarm, hasOutcome } from './alarms.ts';
import { AcknowledgedBy, FallBadges, OutcomeButtons, OutcomeText, ReopenButton } from './parts.tsx';

const Situation = ({ alarm: { hits, since } }: { alarm: Alarm }) => {
  const { situations } = useTexts();
  const dates = useDates();
  return <Text>{`${situations[hits[0].situation]}, ${dates.second(since)}`}</Text>;
};

/** Lists the acknowledged alarms, until they have an outcome and their fall is over. */
export const AcknowledgedAlarms = ({ alarms }: { alarms: readonly Alarm[] }) => {
  const { overview: texts } = useTexts();
  if (alarms.length === 0) return null;
  return (
    <section aria-label={texts.acknowledged}>
      <Title order={2} mb="sm">
        {texts.acknowledged}
      </Title>
      <ul className="answered">
        {alarms.map((alarm) => (
          <li key={alarm.key} className="taken">
            <NameLink href={`/sensors/${alarm.sensorId}`}>{alarm.name}</NameLink>
            <Situation alarm={alarm} />
            {alarm.fall && <FallBadges fall={alarm.fall} />}
            <AcknowledgedBy alarm={alarm} />
            <div className="alarm-answers">
              {hasOutcome(alarm) ? <OutcomeText alarm={alarm} /> : <OutcomeButtons alarm={alarm} />}
              <ReopenButton alarm={alarm} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** Lists the closed alarms of the shift with their outcomes, newest first. */
export const ClosedAlarms = ({ alarms }: { alarms: readonly Alarm[] }) => {
  const { overview: texts } = useTexts();
  return (
    <section aria-label={texts.closed}>
      <Title order={2} mb="sm">
        {texts.closed}
      </Title>
      {alarms.length === 0 && <Text c="dimmed">{texts.noneClosed}</Text>}
      <ul className="answered">
        {alarms.map((alarm) => (
          <li key={alarm.key}>
            <NameLink href={`/sensors/${alarm.sensorId}?part=hits`}>{alarm.name}</NameLink>
            <Situation alarm={alarm} />
            <AcknowledgedBy alarm={alarm} isClosed />
            <OutcomeText alarm={alarm} />
          </li>
        ))}
      </ul>
    </section>
  );
};
