import { Text } from '@mantine/core';
import { useDates, useTexts } from '../texts/texts.tsx';
import { clockOf } from '../ui/clock.ts';
import { Name, NameLink } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { Panel } from '../ui/panel.tsx';
import { type Alarm, acknowledgementOf, answeredAlarms, closureOf, feedbackOf } from './alarms.ts';
import type { Alarms } from './alarms-provider.tsx';
import { type ClosedFall, useClosedFalls } from './closed-falls.ts';
import { shortName } from './room-name.ts';

/** A closed alarm and the outcome. */
type Entry = Pick<Alarm, 'key' | 'sensorId' | 'name' | 'since' | 'isFall'> & {
  situation: Alarm['hits'][0]['situation'];
  acknowledgement: ReturnType<typeof acknowledgementOf>;
  feedback: ReturnType<typeof feedbackOf>;
  outcome: ClosedFall['outcome'];
  note: string | null;
};

const entryOfAlarm = (alarm: Alarm): Entry => ({
  ...alarm,
  situation: alarm.hits[0].situation,
  acknowledgement: acknowledgementOf(alarm),
  feedback: feedbackOf(alarm),
  outcome: closureOf(alarm)?.outcome ?? null,
  note: closureOf(alarm)?.note ?? null,
});
const entryOfFall = (fall: ClosedFall): Entry => ({
  ...fall,
  key: `fall ${fall.uuid}`,
  name: fall.name ?? fall.sensorId,
  since: fall.createDate,
  isFall: true,
});

const Closed = ({ entry }: { entry: Entry }) => {
  const { overview: texts, sensor, situations } = useTexts();
  const dates = useDates();
  const { sensorId, name, since, isFall, situation, outcome, feedback, note, acknowledgement: by } = entry;
  return (
    <li>
      <time className="meta">{dates.clock(since)}</time>
      <NameLink href={`/sensors/${sensorId}?part=hits`}>{shortName(name)}</NameLink>
      <span>
        {!isFall && <span>{situations[situation]}: </span>}
        {outcome && texts.closings[outcome]}
        {!outcome && (feedback ? sensor.hits.outcomes[feedback.classification] : texts.noOutcome)}
        {note && (
          <span className="block">
            <bdi>{note}</bdi>
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

/** Lists the alarms closed in this shift with their outcomes, newest first. Includes falls that no rule reported. */
export const ClosedAlarms = ({ alarms }: { alarms: Alarms }) => {
  const { overview: texts, handover } = useTexts();
  const { closed } = answeredAlarms(alarms.alarms, useNow(60_000));
  const entries = [...closed.map(entryOfAlarm), ...useClosedFalls(alarms).map(entryOfFall)];
  return (
    <Panel title={texts.closed} link={{ href: '/handover', text: handover }}>
      {entries.length === 0 && <Text c="dimmed">{texts.noneClosed}</Text>}
      <ul className="rows-list">
        {entries
          .toSorted((one, other) => other.since - one.since)
          .map((entry) => (
            <Closed key={entry.key} entry={entry} />
          ))}
      </ul>
    </Panel>
  );
};
