import { Alert, Group, Stack, Switch, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCustomer } from '../shell/customer.tsx';
import { NoCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Loaded } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { Checklist } from './checklist.tsx';
import { Failing } from './failing.tsx';
import { fallKey, openFallsQuery } from './falls.ts';
import { hitsQuery } from './hits.ts';
import { HitsChart } from './hits-chart.tsx';
import { OpenFalls } from './open-falls.tsx';
import { SensorStates } from './sensor-states.tsx';
import { useSoundFor } from './sound.ts';
import { Unwatched } from './unwatched.tsx';
import { isWhole, useWatch } from './watch.ts';
import './overview.css';

const OfCustomer = ({ customerId }: { customerId: number }) => {
  const { overview: texts } = useTexts();
  const [withSound, setWithSound] = useLocalStorage({ key: 'sound', defaultValue: false });
  // With sound switched on, the falls are also polled while another tab is in front.
  const open = useQuery({ ...openFallsQuery(customerId), refetchIntervalInBackground: withSound });
  const hits = useQuery(hitsQuery(customerId));
  const watch = useWatch(customerId);
  const falls = open.data?.falls;
  useTitle(falls?.length ? `(${falls.length}) ${texts.title}` : texts.title);
  const { isBlocked } = useSoundFor(falls?.map(fallKey), withSound);
  return (
    <>
      <Unwatched watch={watch} />
      <section aria-label={texts.falls}>
        <Group justify="space-between" mb="sm">
          <Title order={2}>{texts.falls}</Title>
          <Switch
            label={texts.sound}
            checked={withSound}
            onChange={({ currentTarget }) => setWithSound(currentTarget.checked)}
          />
        </Group>
        {isBlocked && (
          <Alert color="yellow" mb="sm">
            {texts.soundBlocked}
          </Alert>
        )}
        <Loaded query={open} rows={2}>
          {(found) => <OpenFalls {...found} isWatched={watch !== undefined && isWhole(watch)} />}
        </Loaded>
      </section>
      <section aria-label={texts.hits}>
        <Title order={2} mb="sm">
          {texts.hits}
        </Title>
        <Loaded query={hits}>{(all) => <HitsChart hits={all} />}</Loaded>
      </section>
    </>
  );
};

/** The overview page: what is not watched, open falls, silent sensors, rule hits, and failing webhooks. */
export const OverviewPage = () => {
  const { overview: texts } = useTexts();
  const { customerId, isNone } = useCustomer();
  useTitle(texts.title);
  return (
    <Stack gap="xl">
      <Title order={1}>{texts.title}</Title>
      {(customerId !== null || isNone) && <Checklist customerId={customerId} />}
      {customerId !== null && <OfCustomer customerId={customerId} />}
      {customerId === null && isNone === false && <NoCustomer />}
      <div className="cards">
        <SensorStates />
        {customerId !== null && <Failing customerId={customerId} />}
      </div>
    </Stack>
  );
};
