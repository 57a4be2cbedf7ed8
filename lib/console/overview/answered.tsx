import { Text, Title } from '@mantine/core';
import { useDates, useTexts } from '../texts/texts.tsx';
import { NameLink } from '../ui/name.tsx';
import { type Alarm, isJudged } from './alarms.ts';
import { Carer, FallBadges, ItWas, Stay, Was } from './parts.tsx';

const What = ({ alarm: { hits, since } }: { alarm: Alarm }) => {
  const { situations } = useTexts();
  const dates = useDates();
  return <Text>{`${situations[hits[0].situation]}, ${dates.second(since)}`}</Text>;
};

/** The alarms that somebody takes care of, until somebody says what it was and its fall is over. */
export const Taken = ({ alarms }: { alarms: readonly Alarm[] }) => {
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
            <What alarm={alarm} />
            {alarm.fall && <FallBadges fall={alarm.fall} />}
            <Carer alarm={alarm} />
            <div className="alarm-answers">
              {isJudged(alarm) ? <Was alarm={alarm} /> : <ItWas alarm={alarm} />}
              <Stay alarm={alarm} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The alarms of the shift that are over, the newest first, and what became of them. */
export const Shift = ({ alarms }: { alarms: readonly Alarm[] }) => {
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
            <What alarm={alarm} />
            <Carer alarm={alarm} />
            <Was alarm={alarm} />
          </li>
        ))}
      </ul>
    </section>
  );
};
