import { Button, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Alarm } from '#openapi';
import { useWrite } from '../api/write.ts';
import { useGroups } from '../groups/query.ts';
import { openRows, useAlarms } from '../overview/alarms-provider.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { useNow } from '../ui/now.ts';
import { Loaded } from '../ui/states.tsx';
import { AlarmRows, AlarmTable } from './alarm-rows.tsx';
import { downloadAlarms } from './download.ts';
import { type AlarmQuery, alarmsQuery } from './queries.ts';
import { useAlarmTexts } from './texts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const periods = [1, 7, 30, 120] as const;
type Period = (typeof periods)[number];
const situations: readonly Alarm['situation'][] = [
  'fall_detected',
  'fall_detected_sensitive',
  'apnea',
  'vital_signs_weak',
  'sensor_inactive',
];
const states: readonly Alarm['state'][] = ['open', 'unanswered', 'acknowledged', 'over'];

/** Returns the filters from the page URL, and a function that changes one of them. */
const useFilters = () => {
  const [params, setParams] = useSearchParams();
  const get = (name: string): string | null => params.get(name);
  const days: Period = periods.find((period) => String(period) === get('days')) ?? 7;
  const state = states.find((known) => known === get('state'));
  const situation = situations.find((known) => known === get('situation'));
  const group = Number(get('group'));
  const set = (name: string, value: string | null) => {
    const next = new URLSearchParams(params);
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
    setParams(next, { replace: true });
  };
  return { days, state, situation, group, set };
};
type FiltersProps = { customerId: number; filters: ReturnType<typeof useFilters> };

/** The list filters, in one line that scrolls on phones. */
const Filters = ({ customerId, filters }: FiltersProps) => {
  const texts = useAlarmTexts();
  const { situations: names } = useTexts();
  const { data: groups = [] } = useGroups(customerId);
  const { days, state, situation, group, set } = filters;
  const common = { checkIconPosition: 'right', allowDeselect: false } as const;
  return (
    <div className="alarm-filters no-print">
      <Select
        {...common}
        label={texts.period}
        data={periods.map((period) => ({ value: String(period), label: texts.periods[period] }))}
        value={String(days)}
        onChange={(value) => set('days', value)}
      />
      <Select
        {...common}
        label={texts.state}
        data={[{ value: '', label: texts.anyState }, ...states.map((value) => ({ value, label: texts.states[value] }))]}
        value={state ?? ''}
        onChange={(value) => set('state', value)}
      />
      <Select
        {...common}
        label={texts.situation}
        data={[
          { value: '', label: texts.anySituation },
          ...situations.map((value) => ({ value, label: names[value] })),
        ]}
        value={situation ?? ''}
        onChange={(value) => set('situation', value)}
      />
      {groups.length > 0 && (
        <Select
          {...common}
          label={texts.group}
          data={[
            { value: '', label: texts.allGroups },
            ...groups.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={group > 0 ? String(group) : ''}
          onChange={(value) => set('group', value)}
        />
      )}
    </div>
  );
};

type PartProps = {
  customerId: number;
  query: AlarmQuery;
  after: string;
  isLast: boolean;
  onMore: (after: string) => void;
};
/**
 * Refetches the first part of the list when an alarm begins, is acknowledged or ends. The alarm bar detects this first.
 */
const useRefetchOnChange = (refetch: () => unknown, isFirst: boolean): void => {
  const rows = useAlarms()?.rows ?? [];
  const shown = rows.map(({ kind, items }) => `${kind} ${items.flatMap(({ keys }) => keys).join()}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the bar shows triggers a request
  useEffect(() => {
    if (isFirst) void refetch();
  }, [shown]);
};

/** Reports that the list is empty. A fall can be open for a few seconds before its alarm appears in the list. */
const Empty = () => {
  const texts = useAlarmTexts();
  const alarms = useAlarms();
  const isCalm = !alarms || (openRows(alarms).length === 0 && alarms.more === 0);
  return <Text className="empty">{isCalm ? texts.none : texts.onlyOpen}</Text>;
};

/** One part of the list, with a button that loads the next part. */
const Part = ({ customerId, query, after, isLast, onMore }: PartProps) => {
  const texts = useAlarmTexts();
  const now = useNow(10_000);
  const part = useQuery(alarmsQuery(customerId, query, after));
  useRefetchOnChange(part.refetch, after === '');
  return (
    <Loaded query={part}>
      {({ alarms, after: next }) => (
        <>
          {alarms.length === 0 && after === '' && next === null ? (
            <Empty />
          ) : (
            <AlarmTable caption={texts.caption}>
              <AlarmRows alarms={alarms} now={now} hasDay />
            </AlarmTable>
          )}
          {isLast && next !== null && (
            <Button variant="default" mt="md" onClick={() => onMore(next)}>
              {texts.showMore}
            </Button>
          )}
        </>
      )}
    </Loaded>
  );
};

const AlarmList = ({ customerId }: { customerId: number }) => {
  const texts = useAlarmTexts();
  const filters = useFilters();
  const { days, state, situation, group } = filters;
  // The start time changes only when the filters change, because each part of the list continues the previous one.
  const query = useMemo(
    (): AlarmQuery => ({
      from: Math.floor((Date.now() - days * DAY) / HOUR) * HOUR,
      ...(state && { state }),
      ...(situation && { situation }),
      ...(group > 0 && { sensorGroupId: group }),
    }),
    [days, state, situation, group],
  );
  const [more, setMore] = useState<{ query: AlarmQuery; cursors: readonly string[] }>({ query, cursors: [] });
  const cursors = ['', ...(more.query === query ? more.cursors : [])];
  const download = useWrite({ send: () => downloadAlarms(customerId, query, 'alarms.csv') });
  return (
    <>
      <Head title={texts.caption}>
        <Button variant="default" onClick={() => download.mutate()} loading={download.isPending}>
          {texts.download}
        </Button>
      </Head>
      <Text mb="md">{texts.explain}</Text>
      <Filters customerId={customerId} filters={filters} />
      {cursors.map((after, at) => (
        <Part
          key={after}
          customerId={customerId}
          query={query}
          after={after}
          isLast={at === cursors.length - 1}
          onMore={(next) => setMore({ query, cursors: [...cursors.slice(1), next] })}
        />
      ))}
    </>
  );
};

/** The alarm page for all rooms, with filters. */
export const AlarmsPage = () => {
  const texts = useAlarmTexts();
  return (
    <WithCustomer fallback={<Head title={texts.caption} />}>
      {(customerId) => <AlarmList customerId={customerId} />}
    </WithCustomer>
  );
};
