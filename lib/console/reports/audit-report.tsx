import { Button, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import type { Alarm } from '#openapi';
import { downloadAlarms } from '../alarms/download.ts';
import { offlineIn, type Span, steps, timesTo, totalOf } from '../alarms/figures.ts';
import { isFalse, isOffline } from '../alarms/kinds.ts';
import { fetchAllAlarms } from '../alarms/queries.ts';
import { useAlarmTexts } from '../alarms/texts.ts';
import '../alarms/alarms.css';
import { useWrite } from '../api/write.ts';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates, useLocale, useTexts } from '../texts/texts.tsx';
import { clockOf } from '../ui/clock.ts';
import { Head } from '../ui/head.tsx';
import { Name } from '../ui/name.tsx';
import { Section } from '../ui/section.tsx';
import { Loaded } from '../ui/states.tsx';
import { useMonths } from './texts.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** The number of months with stored data. */
const STORED_MONTHS = 4;
/** A sensor that was offline in a month counts if it went offline at most this long (ms) before the month began. */
const BEFORE_MS = 7 * DAY;

/** Returns the months with stored data (`YYYY-MM`), newest first. */
const storedMonths = (): string[] => {
  const today = new Date();
  return Array.from({ length: STORED_MONTHS }, (_, count) => {
    const month = new Date(Date.UTC(today.getFullYear(), today.getMonth() - count, 1));
    return month.toISOString().slice(0, 7);
  });
};

/** Returns the span a month covers in the browser's time zone. */
const spanOf = (month: string): Span => {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { from: new Date(year, number - 1, 1).getTime(), to: new Date(year, number, 1).getTime() };
};

const timeOf = (ms: number | null): string => (ms === null ? '–' : clockOf(ms));
const nameOf = ({ name, sensorId }: Alarm): string => name ?? sensorId;

type FigureTableProps = {
  head: string;
  labels: readonly string[];
  rows: readonly { key: string; name: string; cells: readonly ReactNode[] }[];
};
/** A table of figures. On phones, each row is a list. */
const FigureTable = ({ head, labels, rows }: FigureTableProps) => (
  <table className="figure-table">
    <thead>
      <tr>
        {[head, ...labels].map((label) => (
          <th key={label} scope="col">
            {label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ key, name, cells }) => (
        <tr key={key}>
          <th scope="row">
            <Name>{name}</Name>
          </th>
          {labels.map((label, at) => (
            <td key={label} data-label={label}>
              <span>{cells[at]}</span>
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const TimesTable = ({ alarms }: { alarms: readonly Alarm[] }) => {
  const { audit: texts } = useAlarmTexts();
  const dates = useDates();
  const rows = steps.map((step) => {
    const { known, missing, median, worst } = timesTo(alarms, step);
    const longest = (
      <>
        {timeOf(worst?.ms ?? null)}
        {worst && (
          <span className="meta block">
            <Name>{nameOf(worst.alarm)}</Name>, {dates.dateTime(worst.alarm.createDate)}
          </span>
        )}
      </>
    );
    const cells = [timeOf(median), longest, dates.number(known), dates.number(missing)];
    return { key: step, name: texts.steps[step], cells };
  });
  return (
    <Section title={texts.times}>
      <FigureTable head={texts.step} labels={[texts.median, texts.worst, texts.counted, texts.missing]} rows={rows} />
    </Section>
  );
};

type RoomsProps = { alarms: readonly Alarm[]; offline: ReturnType<typeof offlineIn> };
const RoomsTable = ({ alarms, offline }: RoomsProps) => {
  const { audit: texts, room } = useAlarmTexts();
  const dates = useDates();
  const rooms = Map.groupBy([...alarms, ...offline.map(({ alarm }) => alarm)], ({ sensorId }) => sensorId);
  const rows = [...rooms]
    .map(([sensorId, [first]]) => {
      const ofRoom = alarms.filter((alarm) => alarm.sensorId === sensorId);
      const hours = totalOf(offline.filter(({ alarm }) => alarm.sensorId === sensorId)) / HOUR;
      return { key: sensorId, name: first ? nameOf(first) : sensorId, ofRoom, hours };
    })
    .toSorted((one, other) => other.ofRoom.length - one.ofRoom.length || one.name.localeCompare(other.name))
    .map(({ key, name, ofRoom, hours }) => {
      const falseAlarms = dates.number(ofRoom.filter(isFalse).length);
      const offlineHours = texts.hours(dates.number(Math.round(hours * 10) / 10));
      return { key, name, cells: [dates.number(ofRoom.length), falseAlarms, offlineHours] };
    });
  return (
    <Section title={texts.rooms}>
      <FigureTable head={room} labels={[texts.alarms, texts.falseAlarms, texts.unwatched]} rows={rows} />
    </Section>
  );
};

const Summary = ({ alarms, offline }: RoomsProps) => {
  const { audit: texts } = useAlarmTexts();
  const { situations } = useTexts();
  const locale = useLocale();
  const dates = useDates();
  const falseAlarms = alarms.filter(isFalse).length;
  const percent = new Intl.NumberFormat(locale, { style: 'percent' });
  const hours = Math.round(totalOf(offline) / HOUR);
  const bySituation = Map.groupBy(alarms, ({ situation }) => situation);
  const figures = [
    [texts.alarms, dates.number(alarms.length), ''],
    ...[...bySituation].map(([situation, all]) => [situations[situation], dates.number(all.length), ''] as const),
    [
      texts.falseAlarms,
      dates.number(falseAlarms),
      alarms.length > 0 ? texts.share(percent.format(falseAlarms / alarms.length)) : '',
    ],
    [texts.unwatched, texts.hours(dates.number(hours)), ''],
  ] as const;
  return (
    <Section title={texts.situations}>
      <dl className="figure-list">
        {figures.map(([name, value, detail]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{value}</b> {detail !== '' && <span className="meta">{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
};

const Method = () => {
  const { audit: texts } = useAlarmTexts();
  return (
    <Section title={texts.method}>
      {texts.methodText.map((text) => (
        <Text key={text} size="sm" mb="xs">
          {text}
        </Text>
      ))}
    </Section>
  );
};

const useMonthAlarms = (customerId: number, month: string) =>
  useQuery({
    queryKey: ['alarms', customerId, 'month', month],
    queryFn: () => {
      const { from, to } = spanOf(month);
      return fetchAllAlarms(customerId, { from: from - BEFORE_MS, to: to - 1 });
    },
    staleTime: 60_000,
  });

const Month = ({ customerId, month }: { customerId: number; month: string }) => {
  const { audit: texts } = useAlarmTexts();
  const query = useMonthAlarms(customerId, month);
  const span = spanOf(month);
  return (
    <Loaded query={query}>
      {({ alarms, isWhole }) => {
        const people = alarms.filter(
          (alarm) => !isOffline(alarm) && !alarm.isSimulated && alarm.createDate >= span.from,
        );
        const offline = offlineIn(alarms, span, Date.now());
        if (!isWhole) return <Text className="empty">{texts.incomplete}</Text>;
        return (
          <div className="alarm-report">
            <Summary alarms={people} offline={offline} />
            {people.length === 0 ? <Text className="empty">{texts.none}</Text> : <TimesTable alarms={people} />}
            {people.length + offline.length > 0 && <RoomsTable alarms={people} offline={offline} />}
            <Method />
          </div>
        );
      }}
    </Loaded>
  );
};

const AuditReport = ({ customerId }: { customerId: number }) => {
  const { audit: texts, ...list } = useAlarmTexts();
  const { reports } = useTexts();
  const months = useMonths();
  const [params, setParams] = useSearchParams();
  const stored = storedMonths();
  const month = stored.find((known) => known === params.get('month')) ?? stored[0] ?? '';
  const { from, to } = spanOf(month);
  const download = useWrite({ send: () => downloadAlarms(customerId, { from, to: to - 1 }, `alarms-${month}.csv`) });
  return (
    <>
      <Head title={texts.title} back={{ href: '/reports', label: reports }}>
        <Group className="no-print">
          <Button variant="default" onClick={() => download.mutate()} loading={download.isPending}>
            {list.download}
          </Button>
          <Button onClick={() => print()}>{list.print}</Button>
        </Group>
      </Head>
      <Select
        className="no-print"
        label={texts.month}
        maw="16rem"
        mb="md"
        data={stored.map((value) => ({ value, label: months.long(value) }))}
        value={month}
        onChange={(value) => value && setParams({ month: value }, { replace: true })}
        allowDeselect={false}
      />
      <Text className="print-only">{months.long(month)}</Text>
      <Month customerId={customerId} month={month} />
    </>
  );
};

/** The page with all alarms from one month, and how they are counted. */
export const AuditReportPage = () => {
  const { audit: texts } = useAlarmTexts();
  return (
    <WithCustomer fallback={<Head title={texts.title} />}>
      {(customerId) => <AuditReport customerId={customerId} />}
    </WithCustomer>
  );
};
