import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Sensor } from '#openapi';
import { api } from '../api/client.ts';
import { AuditLink } from '../audit/link.tsx';
import { PersonalDataLink } from '../personal-data/link.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Boundary } from '../ui/boundary.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Activity } from './activity.tsx';
import { Config } from './config/config.tsx';
import { Events } from './events.tsx';
import { Hits } from './hits.tsx';
import { Room } from './room/room.tsx';
import { Status } from './status.tsx';

const parts: Readonly<Record<string, ComponentType<{ sensor: Sensor }>>> = {
  room: Room,
  activity: Activity,
  events: Events,
  hits: Hits,
  config: Config,
};

const Parts = ({ sensor }: { sensor: Sensor }) => {
  const { sensor: texts } = useTexts();
  const [search, setSearch] = useSearchParams();
  const requested = search.get('part') ?? '';
  const current = Object.hasOwn(parts, requested) ? requested : 'room';
  const Part = parts[current] ?? Room;
  return (
    <Tabs
      value={current}
      onChange={(part) => setSearch(part === null ? {} : { part }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md" className="tabs">
        {Object.entries(texts.tabs).map(([part, label]) => (
          <Tabs.Tab key={part} value={part}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={current}>
        <Boundary of={current}>
          <Part sensor={sensor} />
        </Boundary>
      </Tabs.Panel>
    </Tabs>
  );
};

const SensorView = ({ sensor }: { sensor: Sensor }) => {
  const { sensors: texts } = useTexts();
  return (
    <>
      <Head title={sensor.name} back={{ href: '/sensors', label: texts.title }}>
        <AuditLink kind="sensor" id={sensor.id} />
        <PersonalDataLink kind="sensor" id={sensor.id} customerId={sensor.customerId} />
      </Head>
      <Stack>
        <Status sensor={sensor} />
        <Parts sensor={sensor} />
      </Stack>
    </>
  );
};

/** The sensor page: status, room, activity, events, rule hits and configuration. */
export const SensorPage = () => {
  const { sensorId = '' } = useParams();
  const sensor = useQuery({
    queryKey: ['sensor', sensorId, 'itself'],
    queryFn: () => ok(api.GET('/sensors/{sensorId}', { params: { path: { sensorId } } })),
    refetchInterval: 15_000,
  });
  return <Loaded query={sensor}>{(found) => <SensorView key={found.id} sensor={found} />}</Loaded>;
};
