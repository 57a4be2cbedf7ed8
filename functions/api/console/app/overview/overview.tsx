import { Alert, Group, Stack, Switch, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCustomerId } from '../shell/customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Loaded, Loading } from '../ui/states.tsx';
import { useTitle } from '../ui/title.ts';
import { Failing } from './failing.tsx';
import { useOpenFalls } from './falls.ts';
import { hitsQuery } from './hits.ts';
import { HitsChart } from './hits-chart.tsx';
import { OpenFalls } from './open-falls.tsx';
import { SensorStates } from './sensor-states.tsx';
import { useSoundFor } from './sound.ts';
import './overview.css';

const OfCustomer = ({ customerId }: { customerId: number }) => {
  const { overview: texts } = useTexts();
  const [withSound, setWithSound] = useLocalStorage({ key: 'sound', defaultValue: false });
  // With sound it is looked at even while another tab is in front.
  const hits = useQuery({ ...hitsQuery(customerId), refetchIntervalInBackground: withSound });
  const falls = useOpenFalls(hits.data);
  useTitle(falls?.length ? `(${falls.length}) ${texts.title}` : texts.title);
  useSoundFor(
    falls?.map(({ hit }) => hit.sensorId),
    withSound,
  );
  return (
    <>
      <section aria-label={texts.falls}>
        <Group justify="space-between" mb="sm">
          <Title order={2}>{texts.falls}</Title>
          <Switch
            label={texts.sound}
            checked={withSound}
            onChange={({ currentTarget }) => setWithSound(currentTarget.checked)}
          />
        </Group>
        <Loaded query={hits} rows={2}>
          {() => (falls ? <OpenFalls falls={falls} /> : <Loading rows={2} />)}
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

const NoCustomer = () => {
  const { overview: texts } = useTexts();
  useTitle(texts.title);
  return <Alert>{texts.chooseCustomer}</Alert>;
};

/** What happens now: who is on the floor, which sensors are silent, what fired, and what does not arrive. */
export const OverviewPage = () => {
  const { overview: texts } = useTexts();
  const customerId = useCustomerId();
  return (
    <Stack gap="xl">
      <Title order={1}>{texts.title}</Title>
      {customerId === null ? <NoCustomer /> : <OfCustomer customerId={customerId} />}
      <div className="cards">
        <SensorStates />
        {customerId !== null && <Failing customerId={customerId} />}
      </div>
    </Stack>
  );
};
