import { Text } from '@mantine/core';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Panel } from '../ui/panel.tsx';
import { type Alarm, acknowledgementOf, closureOf, feedbackOf } from './alarms.ts';
import { clockOf } from './elapsed.tsx';
import { shortName } from './room-name.ts';

const Closed = ({ alarm }: { alarm: Alarm }) => {
  const { overview: texts, sensor, situations } = useTexts();
  const dates = useDates();
  const { sensorId, name, since, hits, isFall } = alarm;
  const feedback = feedbackOf(alarm);
  const closure = closureOf(alarm);
  const by = acknowledgementOf(alarm);
  return (
    <li>
      <time className="meta">{dates.clock(since)}</time>
      <NameLink href={`/sensors/${sensorId}?part=hits`}>{shortName(name)}</NameLink>
      <span>
        {!isFall && <span>{situations[hits[0].situation]}: </span>}
        {closure && texts.closings[closure.outcome]}
        {!closure && (feedback ? sensor.hits.outcomes[feedback.classification] : texts.noOutcome)}
        {closure?.note && (
          <span className="block">
            <bdi>{closure.note}</bdi>
          </span>
        )}
        {by && (
          <span className="meta block">
            <Name>{by.name}</Name>, {texts.onItAfter(clockOf(by.date - since))}
          </span>
        )}
      </span>
    </li>
  );
};

/** Lists the closed alarms of the shift with their outcomes, newest first. */
export const ClosedAlarms = ({ alarms }: { alarms: readonly Alarm[] }) => {
  const { overview: texts, handover } = useTexts();
  return (
    <Panel title={texts.closed} link={{ href: '/handover', text: handover }}>
      {alarms.length === 0 && <Text c="dimmed">{texts.noneClosed}</Text>}
      <ul className="rows-list">
        {alarms.map((alarm) => (
          <Closed key={alarm.key} alarm={alarm} />
        ))}
      </ul>
    </Panel>
  );
};
