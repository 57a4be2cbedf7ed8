import { Alert, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { logoUrl, logoWithBadge } from '#functions/api/console/logo.ts';
import type { Watch } from '#openapi';
import { useCustomer } from '../shell/customer.tsx';
import { NoCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { useNow } from '../ui/now.ts';
import { Failed, Loading } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { alarmsOf, answeredAlarms, isOpen, withOpenFalls } from './alarms.ts';
import { AcknowledgedAlarms, ClosedAlarms } from './answered-alarms.tsx';
import { Checklist } from './checklist.tsx';
import { Failing } from './failing.tsx';
import { openFallsQuery } from './falls.ts';
import { type Freshness, OutdatedNotice, useFreshness } from './freshness.tsx';
import { hitsQuery } from './hits.ts';
import { countOf, keysOf, OpenAlarms } from './open-alarms.tsx';
import { SensorStates } from './sensor-states.tsx';
import { useSoundFor } from './sound.ts';
import { Unwatched } from './unwatched.tsx';
import { isFullyWatched, watchQuery } from './watch-queries.ts';
import { WebhookProblems } from './webhook-problems.tsx';
import './overview.css';

const MINUTE = 60_000;

/** Returns the alarms of a customer, from rule hits and open falls. */
const useAlarms = (customerId: number) => {
  const falls = useQuery(openFallsQuery(customerId));
  const hits = useQuery(hitsQuery(customerId));
  const { alarms, unreported } = useMemo(
    () => withOpenFalls(alarmsOf(hits.data?.hits ?? []), falls.data?.falls ?? []),
    [hits.data, falls.data],
  );
  const open = { alarms: alarms.filter(isOpen), unreported, more: falls.data?.more ?? 0 };
  // Without both queries, an alarm may be missing.
  const isKnown = falls.data !== undefined && hits.data !== undefined;
  return { falls, hits, alarms, open, isKnown };
};
type AlarmState = ReturnType<typeof useAlarms> & { watch: UseQueryResult<Watch>; fresh: Freshness };

/** Shows a count on the icon of the browser tab while the page is open; 0 shows none. */
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
  useTitle(state === 'outdated' ? `⚠ ${title}` : title);
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

const Alarms = ({ falls, hits, open, isKnown, watch, fresh }: AlarmState) => {
  const { overview: texts } = useTexts();
  const dates = useDates();
  const error = (falls.data === undefined && falls.error) || (hits.data === undefined && hits.error);
  const isWatched = fresh.state === 'fresh' && hits.data?.isWhole === true && isFullyWatched(watch.data);
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
      {hits.data?.isWhole === false && <Text mt="sm">{texts.truncated}</Text>}
      {fresh.at > 0 && (
        <Text c="dimmed" mt="sm">
          {texts.asOf(dates.second(fresh.at))}
        </Text>
      )}
      {watch.isError && !watch.data && <Text c="dimmed">{texts.watchUnknown}</Text>}
    </section>
  );
};

const CustomerOverview = ({ customerId }: { customerId: number }) => {
  const alarms = useAlarms(customerId);
  const watch = useQuery(watchQuery(customerId));
  const fresh = useFreshness([alarms.falls, alarms.hits], watch.dataUpdatedAt);
  const { acknowledged, closed } = answeredAlarms(alarms.alarms, useNow(MINUTE));
  useTab(countOf(alarms.open), fresh);
  const hits = alarms.hits.data?.hits;
  return (
    <>
      <OutdatedNotice fresh={fresh} />
      <Alarms {...alarms} watch={watch} fresh={fresh} />
      {watch.data && <Unwatched watch={watch.data} />}
      {watch.data && <WebhookProblems watch={watch.data} />}
      <Checklist customerId={customerId} />
      <AcknowledgedAlarms alarms={acknowledged} />
      {hits && <ClosedAlarms alarms={closed} />}
    </>
  );
};

/**
 * The overview page, made for the night shift: open alarms, what is not watched, acknowledged and closed alarms,
 * offline sensors, and failing webhooks.
 */
export const OverviewPage = () => {
  const { overview: texts } = useTexts();
  const { customerId, hasNone } = useCustomer();
  useTitle(texts.title);
  return (
    <Stack gap="xl">
      <Title order={1}>{texts.title}</Title>
      {customerId === null && hasNone && <Checklist customerId={null} />}
      {customerId !== null && <CustomerOverview key={customerId} customerId={customerId} />}
      {customerId === null && hasNone === false && <NoCustomer />}
      <div className="cards">
        <SensorStates />
        {customerId !== null && <Failing customerId={customerId} />}
      </div>
    </Stack>
  );
};
