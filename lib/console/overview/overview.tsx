import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useMe } from '../session/session.tsx';
import { useCustomer } from '../shell/customer.tsx';
import { NoCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Failed } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { type Alarms, useAlarms } from './alarms-provider.tsx';
import { Calm } from './calm.tsx';
import { Checklist } from './checklist.tsx';
import { ClosedAlarms } from './closed-alarms.tsx';
import { Duty } from './duty.tsx';
import { RoomCall } from './room-call.tsx';
import { SensorStates } from './sensor-states.tsx';
import { Unwatched } from './unwatched.tsx';
import { useWakeLock } from './wake-lock.ts';
import { WebhookProblems } from './webhook-problems.tsx';
import './overview.css';

/** How long (ms) buttons ignore taps after rows have moved, because a finger may already be on its way. */
const SETTLE_MS = 400;

/** Whether rows have just moved because their `order` changed. */
const useIsMoving = (order: string): boolean => {
  const [settled, setSettled] = useState(order);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(order), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [order]);
  return settled !== order;
};

const Board = ({ alarms }: { alarms: Alarms }) => {
  const { overview: texts } = useTexts();
  const { rows, more, isKnown, hasHits, isWhole, error } = alarms;
  const isMoving = useIsMoving(rows.map(({ key, kind }) => `${key} ${kind}`).join());
  return (
    <section aria-label={texts.alarms}>
      {rows.length > 0 && (
        <ol className={isMoving ? 'board moving' : 'board'}>
          {rows.map((row) => (
            <RoomCall key={row.key} row={row} isKnown={hasHits} />
          ))}
        </ol>
      )}
      {!isKnown && error !== null && <Failed error={error} onRetry={alarms.refetch} />}
      {more > 0 && <Text mt="sm">{texts.moreFalls(more)}</Text>}
      {!isWhole && <Text mt="sm">{texts.truncated}</Text>}
    </section>
  );
};

const CustomerStation = ({ alarms }: { alarms: Alarms }) => {
  const { rows, more, watch, customerId, hasHits, onDuty } = alarms;
  const { display } = useMe();
  useWakeLock();
  return (
    <>
      {rows.length === 0 && more === 0 ? <Calm alarms={alarms} /> : <Board alarms={alarms} />}
      {!display && <Checklist customerId={customerId} />}
      <div className="cols">
        {watch && <Unwatched watch={watch} />}
        {watch && !display && <WebhookProblems watch={watch} />}
        <Duty onDuty={onDuty} />
        {hasHits && <ClosedAlarms alarms={alarms} />}
      </div>
    </>
  );
};

/**
 * The station, made for the night shift: what is happening in the rooms, what is not watched, and what happened in this
 * shift. The heading is the alarm headline, which moves to the alarm bar during an alarm.
 */
export const OverviewPage = () => {
  const { overview: texts } = useTexts();
  const { hasNone } = useCustomer();
  const alarms = useAlarms();
  useTitle(texts.title);
  if (alarms) return <CustomerStation key={alarms.customerId} alarms={alarms} />;
  return (
    <>
      <Head title={texts.title} />
      {hasNone ? <Checklist customerId={null} /> : <NoCustomer />}
      {hasNone === false && <SensorStates />}
    </>
  );
};
