import { CheckIcon, ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Anchor, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RuleHit } from '#openapi';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import type { Alarm } from './alarms.ts';
import { fallKey, type OpenFall } from './falls.ts';
import { Carer, FallBadges, Go, ItWas, Running } from './parts.tsx';

type CardProps = { sensorId: string; name: string; since: number; children: ReactNode };
const Card = ({ sensorId, name, since, children }: CardProps) => (
  <li className="alarm">
    <Anchor component={Link} href={`/sensors/${sensorId}`} className="alarm-room">
      <Name>{name}</Name>
    </Anchor>
    <Running since={since} />
    {children}
  </li>
);

const Message = ({ message: { wasSend, sendTryTimes, extra } }: { message: RuleHit['ruleMessages'][number] }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const Icon = wasSend ? CheckIcon : ExclamationTriangleIcon;
  const resultOf = (tries: readonly number[]): string => {
    const last = tries.at(-1);
    if (last === undefined) return texts.notNotifiedYet;
    const time = dates.second(last);
    return wasSend ? texts.notifiedAt(time, tries.length) : texts.notNotified(tries.length, time);
  };
  return (
    <li className={wasSend ? 'told' : 'told not'}>
      <Icon className="icon" />
      <span>
        <Name>{extra.display_name || texts.someone}</Name>: {resultOf(sendTryTimes)}
      </span>
    </li>
  );
};

/** Lists whom hits told, when, and how that went. */
const Told = ({ hits }: { hits: readonly RuleHit[] }) => {
  const { overview: texts } = useTexts();
  const messages = hits.flatMap(({ ruleMessages }) => ruleMessages);
  if (messages.length === 0) return <p>{texts.nobodyNotified}</p>;
  return (
    <ul className="told-list" aria-label={texts.notified}>
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
    </ul>
  );
};

const OfRule = ({ alarm }: { alarm: Alarm }) => {
  const { situations, overview: texts } = useTexts();
  const dates = useDates();
  const { hits, fall, since } = alarm;
  const what = [...new Set(hits.map(({ situation }) => situations[situation]))].join(', ');
  return (
    <Card {...alarm}>
      <div className="alarm-what">
        <Text fw={600}>{`${what}, ${texts.since(dates.second(since))}`}</Text>
        {fall && <FallBadges fall={fall} isOnRed />}
      </div>
      <Told hits={hits} />
      <Carer alarm={alarm} />
      <div className="alarm-answers">
        <Go alarm={alarm} />
        <ItWas alarm={alarm} />
      </div>
    </Card>
  );
};

/** So long (ms) after a fall began its hit may still be on its way. */
const UNDER_WAY = 15_000;

const Untold = ({ fall, isKnown }: { fall: OpenFall; isKnown: boolean }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const now = useNow();
  return (
    <Card {...fall}>
      <div className="alarm-what">
        <Text fw={600}>{texts.since(dates.second(fall.since))}</Text>
        <FallBadges fall={fall} isOnRed />
      </div>
      {isKnown && now - fall.since > UNDER_WAY && <Text>{texts.nobodyNotified}</Text>}
    </Card>
  );
};

/** What somebody has to answer: alarms of rules, and falls that no rule told of; `more` sensors with falls are not listed. */
type Open = { alarms: readonly Alarm[]; untold: readonly OpenFall[]; more: number };
export const countOf = ({ alarms, untold, more }: Open): number => alarms.length + untold.length + more;
/** The keys by which each open alarm is known: it stays the same when it is first seen by its fall, then by a hit. */
export const keysOf = ({ alarms, untold }: Open): string[][] => [
  ...alarms.map(({ hits, fall }) => [...hits.map(({ id }) => `hit ${id}`), ...(fall ? [fallKey(fall)] : [])]),
  ...untold.map((fall) => [fallKey(fall)]),
];

type OpenAlarmsProps = {
  open: Open;
  /** Are hits and falls known? */
  isKnown: boolean;
  isWatched: boolean;
  /** Does a fall go on, such as one that somebody takes care of? */
  isSomebodyDown: boolean;
};
/**
 * Lists the open alarms, the oldest first. A screen reader announces new ones, but not the passing seconds. That there is
 * none is green only where all of the home is watched. While hits are not known, nothing is said of whom they told.
 */
export const OpenAlarms = ({ open, isKnown, isWatched, isSomebodyDown }: OpenAlarmsProps) => {
  const { overview: texts } = useTexts();
  const { alarms, untold, more } = open;
  const cards = [
    ...alarms.map((alarm) => ({ ...alarm, card: <OfRule key={alarm.key} alarm={alarm} /> })),
    ...untold.map((fall) => ({ ...fall, card: <Untold key={fallKey(fall)} fall={fall} isKnown={isKnown} /> })),
  ].toSorted((alarm, other) => alarm.since - other.since);
  return (
    <>
      <div role="status">
        {countOf(open) === 0 ? (
          <Alert color={isWatched && !isSomebodyDown ? 'green' : 'gray'} role="note">
            <Text fz="lg">{isSomebodyDown ? texts.noAlarm : `${texts.noAlarm} ${texts.nobodyDown}`}</Text>
          </Alert>
        ) : (
          <VisuallyHidden>{`${texts.alarms}: ${cards.map(({ name }) => name).join(', ')}`}</VisuallyHidden>
        )}
      </div>
      {cards.length > 0 && <ul className="alarms">{cards.map(({ card }) => card)}</ul>}
      {more > 0 && <Text mt="sm">{texts.moreFalls(more)}</Text>}
    </>
  );
};
