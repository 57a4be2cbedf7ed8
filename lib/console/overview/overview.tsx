import { Alert, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { logoUrl, logoWithBadge } from '#functions/api/console/logo.ts';
import type { RuleHit, Watch } from '#openapi';
import { useCustomer } from '../shell/customer.tsx';
import { NoCustomer } from '../shell/of-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import type { Look } from '../ui/chart.ts';
import { useNow } from '../ui/now.ts';
import { Plot } from '../ui/plot.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { alarmsOf, answered, isOpen, withFalls } from './alarms.ts';
import { Shift, Taken } from './answered.tsx';
import { Checklist } from './checklist.tsx';
import { Failing } from './failing.tsx';
import { openFallsQuery } from './falls.ts';
import { type Freshness, Late, useFreshness } from './fresh.tsx';
import { HOUR, hitsQuery, hourly } from './hits.ts';
import { countOf, keysOf, OpenAlarms } from './open-alarms.tsx';
import { SensorStates } from './sensor-states.tsx';
import { useSoundFor } from './sound.ts';
import { Troubles } from './troubles.tsx';
import { Unwatched } from './unwatched.tsx';
import { isWhole, watchQuery } from './watched.ts';
import './overview.css';

const MINUTE = 60_000;

/** The alarms of a customer, by the hits of rules and the falls that go on. */
const useAlarms = (customerId: number) => {
  const falls = useQuery(openFallsQuery(customerId));
  const hits = useQuery(hitsQuery(customerId));
  const { alarms, untold } = useMemo(
    () => withFalls(alarmsOf(hits.data?.hits ?? []), falls.data?.falls ?? []),
    [hits.data, falls.data],
  );
  const open = { alarms: alarms.filter(isOpen), untold, more: falls.data?.more ?? 0 };
  // Without both, what is not there may be unknown.
  const isKnown = falls.data !== undefined && hits.data !== undefined;
  return { falls, hits, alarms, open, isKnown };
};
type Known = ReturnType<typeof useAlarms> & { watch: UseQueryResult<Watch>; fresh: Freshness };

/** Shows a number at the sign in the tab of the browser, while the page is open; 0 shows the sign alone. */
const useBadge = (count: number): void => {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (!icon) return;
    icon.href = count === 0 ? logoUrl : logoWithBadge(count);
    return () => {
      icon.href = logoUrl;
    };
  }, [count]);
};

const useTab = (count: number, { state }: Freshness): void => {
  const { overview: texts } = useTexts();
  const title = count > 0 ? `(${count}) ${texts.title}` : texts.title;
  useTitle(state === 'late' ? `⚠ ${title}` : title);
  useBadge(count);
};

const Sound = ({ keys }: { keys: string[][] | undefined }) => {
  const { overview: texts } = useTexts();
  const [isOn, setOn] = useLocalStorage({ key: 'sound', defaultValue: false });
  const { isBlocked } = useSoundFor(keys, isOn);
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{texts.alarms}</Title>
        <Switch label={texts.sound} checked={isOn} onChange={({ currentTarget }) => setOn(currentTarget.checked)} />
      </Group>
      {isBlocked && (
        <Alert color="yellow" mb="sm">
          {texts.soundBlocked}
        </Alert>
      )}
    </>
  );
};

const Alarms = ({ falls, hits, open, isKnown, watch, fresh }: Known) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const error = (falls.data === undefined && falls.error) || (hits.data === undefined && hits.error);
  const isWatched = fresh.state === 'fresh' && hits.data?.isWhole === true && isWhole(watch.data);
  return (
    <section aria-label={texts.alarms}>
      <Sound keys={isKnown ? keysOf(open) : undefined} />
      {(isKnown || countOf(open) > 0) && (
        <OpenAlarms
          open={open}
          isKnown={isKnown}
          isWatched={isWatched}
          isSomebodyDown={falls.data?.falls.length !== 0}
        />
      )}
      {!isKnown && !error && <Loading rows={2} />}
      {error && <Failed error={error} onRetry={() => void Promise.all([falls.refetch(), hits.refetch()])} />}
      {hits.data?.isWhole === false && <Text mt="sm">{texts.notWhole}</Text>}
      {fresh.at > 0 && (
        <Text c="dimmed" mt="sm">
          {texts.asOf(dates.second(fresh.at))}
        </Text>
      )}
      {watch.isError && !watch.data && <Text c="dimmed">{texts.watchUnread}</Text>}
    </section>
  );
};

const looks: readonly Look[] = [{ kind: 'bars', color: '#0c8599' }];

/** A chart of the number of rule hits in each of the last 24 hours. */
const HitsChart = ({ hits }: { hits: readonly RuleHit[] }) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const hour = Math.floor(useNow(MINUTE) / HOUR) * HOUR;
  const data = useMemo(() => hourly(hits, hour + HOUR - 1), [hits, hour]);
  const timeOf = (seconds: number) => dates.clock(seconds * 1_000);
  return (
    <>
      <Plot label={`${texts.hits}: ${hits.length}`} data={data} looks={looks} after={3_600} timeOf={timeOf} />
      <Text size="sm" c="dimmed">
        {hits.length === 0 ? texts.noHits : texts.hitsIn(hits.length)}
      </Text>
    </>
  );
};

const OfCustomer = ({ customerId }: { customerId: number }) => {
  const { overview: texts } = useTexts();
  const alarms = useAlarms(customerId);
  const watch = useQuery(watchQuery(customerId));
  const fresh = useFreshness([alarms.falls, alarms.hits], watch.dataUpdatedAt);
  const { taken, done } = answered(alarms.alarms, useNow(MINUTE));
  useTab(countOf(alarms.open), fresh);
  const hits = alarms.hits.data?.hits;
  return (
    <>
      <Late fresh={fresh} />
      <Alarms {...alarms} watch={watch} fresh={fresh} />
      {watch.data && <Unwatched watch={watch.data} />}
      {watch.data && <Troubles watch={watch.data} />}
      <Checklist customerId={customerId} />
      <Taken alarms={taken} />
      {hits && <Shift alarms={done} />}
      <section aria-label={texts.hits}>
        <Title order={2} mb="sm">
          {texts.hits}
        </Title>
        {hits && <HitsChart hits={hits} />}
      </section>
    </>
  );
};

/**
 * The overview page, for a night: open alarms, what is not watched, what is taken care of, what became of the others,
 * rule hits, silent sensors, and failing webhooks.
 */
export const OverviewPage = () => {
  const { overview: texts } = useTexts();
  const { customerId, isNone } = useCustomer();
  useTitle(texts.title);
  return (
    <Stack gap="xl">
      <Title order={1}>{texts.title}</Title>
      {customerId === null && isNone && <Checklist customerId={null} />}
      {customerId !== null && <OfCustomer key={customerId} customerId={customerId} />}
      {customerId === null && isNone === false && <NoCustomer />}
      <div className="cards">
        <SensorStates />
        {customerId !== null && <Failing customerId={customerId} />}
      </div>
    </Stack>
  );
};
