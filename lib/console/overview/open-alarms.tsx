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
import { AcknowledgeButton, AcknowledgedBy, ElapsedTime, FallBadges, OutcomeButtons } from './parts.tsx';

type CardProps = { sensorId: string; name: string; since: number; children: ReactNode };
const Card = ({ sensorId, name, since, children }: CardProps) => (
  <li className="alarm">
    <Anchor component={Link} href={`/sensors/${sensorId}`} className="alarm-room">
      <Name>{name}</Name>
    </Anchor>
    <ElapsedTime since={since} />
    {children}
  </li>
);

const Notification = ({ message: { wasSend, sendTryTimes, extra } }: { message: RuleHit['ruleMessages'][number] }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const Icon = wasSend ? CheckIcon : ExclamationTriangleIcon;
  const resultOf = (attempts: readonly number[]): string => {
    const last = attempts.at(-1);
    if (last === undefined) return texts.notNotifiedYet;
    const time = dates.second(last);
    return wasSend ? texts.notifiedAt(time, attempts.length) : texts.notNotified(attempts.length, time);
  };
  return (
    <li className={wasSend ? 'notified' : 'notified not'}>
      <Icon className="icon" />
      <span>
        <Name>{extra.display_name || texts.someone}</Name>: {resultOf(sendTryTimes)}
      </span>
    </li>
  );
};

/** Lists whom the hits notified, when, and with which result. */
const Notifications = ({ hits }: { hits: readonly RuleHit[] }) => {
  const { overview: texts } = useTexts();
  const messages = hits.flatMap(({ ruleMessages }) => ruleMessages);
  if (messages.length === 0) return <p>{texts.nobodyNotified}</p>;
  return (
    <ul className="notified-list" aria-label={texts.notified}>
      {messages.map((message) => (
        <Notification key={message.id} message={message} />
      ))}
    </ul>
  );
};

const RuleAlarm = ({ alarm }: { alarm: Alarm }) => {
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
      <Notifications hits={hits} />
      <AcknowledgedBy alarm={alarm} />
      <div className="alarm-answers">
        <AcknowledgeButton alarm={alarm} />
        <OutcomeButtons alarm={alarm} />
      </div>
    </Card>
  );
};

/** How long (ms) after the start of a fall its hit may take to arrive. */
const HIT_DELAY_MS = 15_000;

const UnreportedFall = ({ fall, isKnown }: { fall: OpenFall; isKnown: boolean }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const now = useNow();
  return (
    <Card {...fall}>
      <div className="alarm-what">
        <Text fw={600}>{texts.since(dates.second(fall.since))}</Text>
        <FallBadges fall={fall} isOnRed />
      </div>
      {isKnown && now - fall.since > HIT_DELAY_MS && <Text>{texts.nobodyNotified}</Text>}
    </Card>
  );
};

/** What needs an answer: alarms of rules, and falls that no rule reported. `more` sensors with falls are not listed. */
type Open = { alarms: readonly Alarm[]; unreported: readonly OpenFall[]; more: number };
export const countOf = ({ alarms, unreported, more }: Open): number => alarms.length + unreported.length + more;
/** Returns the keys of each open alarm, so that an alarm that is first seen as a fall is recognized when its hit arrives. */
export const keysOf = ({ alarms, unreported }: Open): string[][] => [
  ...alarms.map(({ hits, fall }) => [...hits.map(({ id }) => `hit ${id}`), ...(fall ? [fallKey(fall)] : [])]),
  ...unreported.map((fall) => [fallKey(fall)]),
];

type OpenAlarmsProps = {
  open: Open;
  /** Whether hits and falls are loaded. */
  isKnown: boolean;
  isWatched: boolean;
  /** Whether a fall is open, even an acknowledged one. */
  isSomebodyDown: boolean;
};
/**
 * Lists the open alarms, oldest first. Screen readers announce new ones, but not the passing seconds. "No open alarms" is
 * green only if the whole home is watched. Until hits are loaded, nothing is shown about notifications.
 */
export const OpenAlarms = ({ open, isKnown, isWatched, isSomebodyDown }: OpenAlarmsProps) => {
  const { overview: texts } = useTexts();
  const { alarms, unreported, more } = open;
  const cards = [
    ...alarms.map((alarm) => ({ ...alarm, card: <RuleAlarm key={alarm.key} alarm={alarm} /> })),
    ...unreported.map((fall) => ({
      ...fall,
      card: <UnreportedFall key={fallKey(fall)} fall={fall} isKnown={isKnown} />,
    })),
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
