import { ChevronLeftIcon, ChevronRightIcon } from '@heroicons/react/24/outline';
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import type { Alarm } from '#openapi';
import { AlarmRows, AlarmTable } from '../alarms/alarm-rows.tsx';
import { downloadAlarms } from '../alarms/download.ts';
import { medianOf, offlineIn, type Span, timeTo, totalOf } from '../alarms/figures.ts';
import { isFalse, isOffline } from '../alarms/kinds.ts';
import { fetchAllAlarms } from '../alarms/queries.ts';
import { useAlarmTexts } from '../alarms/texts.ts';
import { useWrite } from '../api/write.ts';
import { shortName } from '../overview/room-name.ts';
import { SLOW_REFETCH_MS } from '../overview/watch-queries.ts';
import { duration } from '../reports/duration.ts';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates } from '../texts/texts.tsx';
import { clockOf } from '../ui/clock.ts';
import { Head } from '../ui/head.tsx';
import { useNow } from '../ui/now.ts';
import { Panel } from '../ui/panel.tsx';
import { Loaded } from '../ui/states.tsx';
import { OnDutyPanel } from './on-duty.tsx';
import { shiftAt } from './shifts.ts';
import { UnwatchedPanel } from './unwatched.tsx';

/** An offline period or a fall is part of the handover if it began at most this long (ms) before the shift. */
const BEFORE_MS = { offline: 7 * 86_400_000, open: 86_400_000 };

/** Returns the alarms from a shift and the 24 hours before it. The current shift is refetched. */
const useShiftAlarms = (customerId: number, { from, to }: Span, isCurrent: boolean) =>
  useQuery({
    queryKey: ['alarms', customerId, 'shift', from],
    queryFn: () => fetchAllAlarms(customerId, { from: from - BEFORE_MS.open, to: to - 1 }),
    ...(isCurrent && { refetchInterval: SLOW_REFETCH_MS }),
  });

/** Returns the sensors that were offline during a shift, or went offline in the days before it. */
const useOffline = (customerId: number, { from, to }: Span) =>
  useQuery({
    queryKey: ['alarms', customerId, 'offline', from],
    queryFn: () => {
      const span = { from: from - BEFORE_MS.offline, to: to - 1 };
      return fetchAllAlarms(customerId, { ...span, situation: 'sensor_inactive' });
    },
    staleTime: 5 * 60_000,
  });

/** Whether someone may still have been on the floor when a shift began. */
const isCarriedOver = (alarm: Alarm, { from }: Span): boolean =>
  alarm.situation.startsWith('fall') &&
  alarm.createDate < from &&
  alarm.createDate >= from - BEFORE_MS.open &&
  (alarm.overDate === null || alarm.overDate >= from);

const nameOf = ({ name, sensorId }: Alarm): string => shortName(name ?? sensorId);
/** Returns the alarm with the largest value, and the value. */
const largest = (alarms: readonly Alarm[], rank: (alarm: Alarm) => number): { alarm: Alarm; ms: number } | undefined =>
  alarms.map((alarm) => ({ alarm, ms: rank(alarm) })).toSorted((one, other) => other.ms - one.ms)[0];

type FiguresProps = { alarms: readonly Alarm[]; offline: ReturnType<typeof offlineIn>; now: number };
/** The shift in five figures. */
const Figures = ({ alarms, offline, now }: FiguresProps) => {
  const { handover: texts } = useAlarmTexts();
  const notOver = alarms.filter(({ state }) => state !== 'over').length;
  const isWaiting = ({ acknowledgement, state }: Alarm) => acknowledgement === null && state !== 'over';
  const median = medianOf(alarms.flatMap((alarm) => timeTo(alarm, 'acknowledged') ?? []));
  const answered = alarms.filter((alarm) => alarm.acknowledgement !== null || isWaiting(alarm));
  const slowest = largest(answered, (alarm) => timeTo(alarm, 'acknowledged') ?? now - alarm.createDate);
  const falls = alarms.filter(
    (alarm) => alarm.situation.startsWith('fall') && !isFalse(alarm) && alarm.overBy !== 'time',
  );
  const longest = largest(falls, (alarm) => (alarm.overDate ?? now) - alarm.createDate);
  const more = (isOpen: boolean) => (isOpen ? texts.stillOpen : '');
  const rooms = new Set(offline.map(({ alarm }) => alarm.sensorId)).size;
  const figures = [
    [texts.alarms, String(alarms.length), notOver > 0 ? texts.notOver(notOver) : ''],
    [texts.median, median === null ? '–' : clockOf(median), ''],
    [
      texts.slowest,
      slowest ? clockOf(slowest.ms) : '–',
      slowest ? texts.roomAnd(nameOf(slowest.alarm), more(isWaiting(slowest.alarm))) : '',
    ],
    [
      texts.longest,
      longest ? clockOf(longest.ms) : '–',
      longest ? texts.roomAnd(nameOf(longest.alarm), more(longest.alarm.overDate === null)) : '',
    ],
    [texts.unwatched, texts.rooms(rooms), rooms > 0 ? duration(totalOf(offline)) : ''],
  ] as const;
  return (
    <Panel title={texts.short}>
      <dl className="figure-list">
        {figures.map(([name, value, detail]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{value}</b> {detail !== '' && <bdi className="meta">{detail}</bdi>}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
};

type ShiftProps = { customerId: number; shift: Span; isCurrent: boolean };
const ShiftReport = ({ customerId, shift, isCurrent }: ShiftProps) => {
  const { handover: texts, audit } = useAlarmTexts();
  const now = useNow(10_000);
  const query = useShiftAlarms(customerId, shift, isCurrent);
  const silent = useOffline(customerId, shift);
  return (
    <Loaded query={query}>
      {({ alarms, isWhole }) => {
        const offline = offlineIn(silent.data?.alarms ?? [], shift, now);
        const people = alarms.filter((alarm) => !isOffline(alarm));
        const shown = people.filter((alarm) => alarm.createDate >= shift.from || isCarriedOver(alarm, shift));
        return (
          <div className="alarm-report">
            <Figures alarms={shown} offline={offline} now={now} />
            {!isWhole && <Text>{audit.incomplete}</Text>}
            {shown.length === 0 ? (
              <Text className="empty">{texts.calm}</Text>
            ) : (
              <AlarmTable caption={texts.caption}>
                <AlarmRows alarms={shown} now={now} />
              </AlarmTable>
            )}
            <div className="cols">
              <UnwatchedPanel offline={offline} isCurrent={isCurrent} />
              <OnDutyPanel customerId={customerId} shift={shift} isCurrent={isCurrent} />
            </div>
            <p className="print-only">{texts.signed}</p>
          </div>
        );
      }}
    </Loaded>
  );
};

const Handover = ({ customerId }: { customerId: number }) => {
  const all = useAlarmTexts();
  const { handover: texts } = all;
  const dates = useDates();
  const [params] = useSearchParams();
  const now = useNow(60_000);
  const asked = Number(params.get('at'));
  const shift = shiftAt(asked > 0 ? Math.min(asked, now) : now);
  const isCurrent = shift.to > now;
  const { from, to } = shift;
  const dayAndTime = (time: number) => `${dates.day(time)} ${dates.clock(time)}`;
  const download = useWrite({ send: () => downloadAlarms(customerId, { from, to: to - 1 }, 'handover.csv') });
  return (
    <div className="handover">
      <Head title={texts.title}>
        <Group className="no-print" gap="sm">
          <Button component={Link} href={`/handover?at=${from - 1}`} variant="default" aria-label={texts.before}>
            <ChevronLeftIcon className="icon" />
          </Button>
          <Button
            component={Link}
            href={`/handover?at=${to}`}
            variant="default"
            aria-label={texts.after}
            {...(isCurrent && { 'data-disabled': true })}
          >
            <ChevronRightIcon className="icon" />
          </Button>
          <Button variant="default" onClick={() => download.mutate()} loading={download.isPending}>
            {all.download}
          </Button>
          <Button onClick={() => print()}>{all.print}</Button>
        </Group>
      </Head>
      <Text mb="md">{texts.span(texts.shifts[shift.kind], dayAndTime(from), dayAndTime(to))}</Text>
      <ShiftReport customerId={customerId} shift={shift} isCurrent={isCurrent} />
    </div>
  );
};

/** The page with everything the next shift needs to know. */
export const HandoverPage = () => {
  const { handover: texts } = useAlarmTexts();
  return (
    <WithCustomer fallback={<Head title={texts.title} />}>
      {(customerId) => <Handover customerId={customerId} />}
    </WithCustomer>
  );
};
