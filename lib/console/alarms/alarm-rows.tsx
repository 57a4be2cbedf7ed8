import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Alarm } from '#openapi';
import { roomNameOf } from '../overview/room-name.ts';
import { useMe } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { clockOf } from '../ui/clock.ts';
import { Name } from '../ui/name.tsx';
import { kindOf } from './kinds.ts';
import { Outcome } from './outcome.tsx';
import { useAlarmTexts } from './texts.ts';
import './alarms.css';

const DAY = 24 * 3_600_000;
const after = (alarm: Alarm, date: number | null | undefined): string =>
  date === null || date === undefined ? '' : clockOf(date - alarm.createDate);

/**
 * Returns the URL of the page with the most information about an alarm: the alarm timeline during the first day, and
 * the room events after that.
 */
const hrefOf = ({ sensorId, createDate }: Alarm, now: number): string =>
  now - createDate < DAY ? `/alarms/${sensorId}` : `/sensors/${sensorId}?part=events`;

/** Returns what people wrote about an alarm. */
const noteOf = ({ note, feedback }: Alarm): string => note ?? feedback?.description ?? '';

/** The second line in each row, shown on phones. */
const SecondLine = ({ alarm }: { alarm: Alarm }) => {
  const { second } = useAlarmTexts();
  const { acknowledgement: by, overDate, overBy, notifiedDate } = alarm;
  const words = [
    notifiedDate === null && second.notNotified,
    by && second.onIt(by.name, after(alarm, by.date)),
    overDate !== null && overBy !== 'time' && second.over(after(alarm, overDate)),
    noteOf(alarm),
  ];
  return (
    <td className="alarm-second">
      <bdi>{words.filter(Boolean).join(' ')}</bdi>
    </td>
  );
};

type RowProps = { alarm: Alarm; now: number; hasDay: boolean };
const Row = ({ alarm, now, hasDay }: RowProps) => {
  const texts = useAlarmTexts();
  const { situations } = useTexts();
  const { id } = useMe();
  const dates = useDates();
  const { name, sensorId, createDate, acknowledgement: by, notifiedDate, overDate, overBy } = alarm;
  const { number, rest } = roomNameOf(name ?? sensorId);
  const kind = kindOf(alarm, id, now);
  const time = dates.clock(createDate);
  return (
    <tr className={`is-${kind}`}>
      <th scope="row" className="alarm-room">
        <Link href={hrefOf(alarm, now)}>
          <Name>{number ?? rest}</Name>
        </Link>
        {number !== null && rest !== '' && (
          <span className="alarm-rest">
            <Name>{rest}</Name>
          </span>
        )}
      </th>
      <td className="alarm-when">
        <time dateTime={new Date(createDate).toISOString()}>{hasDay ? `${dates.day(createDate)} ${time}` : time}</time>
        <span className="meta block">
          {situations[alarm.situation]}
          {alarm.isSimulated && ` (${texts.simulated})`}
        </span>
      </td>
      <td className="alarm-state">
        <Outcome alarm={alarm} now={now} />
      </td>
      <td className="alarm-cell">{by && <Name>{by.name}</Name>}</td>
      <td className="alarm-cell alarm-figure">
        {notifiedDate === null ? texts.notNotified : after(alarm, notifiedDate)}
      </td>
      <td className="alarm-cell alarm-figure">{after(alarm, by?.date)}</td>
      <td className="alarm-cell alarm-figure">{overBy === 'time' ? '' : after(alarm, overDate)}</td>
      <td className="alarm-cell alarm-note">
        <Name>{noteOf(alarm)}</Name>
      </td>
      <SecondLine alarm={alarm} />
    </tr>
  );
};

/** The rows for one part of an alarm list. */
export const AlarmRows = ({
  alarms,
  now,
  hasDay = false,
}: {
  alarms: readonly Alarm[];
  now: number;
  hasDay?: boolean;
}) => (
  <tbody>
    {alarms.map((alarm) => (
      <Row key={`${alarm.sensorId} ${alarm.uuid}`} alarm={alarm} now={now} hasDay={hasDay} />
    ))}
  </tbody>
);

/** An alarm table. On phones, each row is a two-line grid. */
export const AlarmTable = ({ caption, children }: { caption: string; children: ReactNode }) => {
  const texts = useAlarmTexts();
  return (
    <table className="alarm-table">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.room}</th>
          <th scope="col">{texts.time}</th>
          <th scope="col">{texts.outcome}</th>
          <th scope="col">{texts.who}</th>
          <th scope="col" className="alarm-figure">
            {texts.notified}
          </th>
          <th scope="col" className="alarm-figure">
            {texts.onIt}
          </th>
          <th scope="col" className="alarm-figure">
            {texts.over}
          </th>
          <th scope="col">{texts.note}</th>
        </tr>
      </thead>
      {children}
    </table>
  );
};
