import { Anchor, Button, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Event, Sensor } from '#openapi';
import { api } from '../api/client.ts';
import { okPage } from '../api/pages.ts';
import { deliveriesHref } from '../deliveries/filter.ts';
import { managers } from '../session/permissions.ts';
import { useCan } from '../session/session.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Code } from '../ui/code.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Column, List } from '../ui/list.tsx';
import { pretty } from '../ui/pretty.ts';
import { Loaded } from '../ui/states.tsx';
import { eventName } from './event-name.ts';

const PER_PAGE = 30;
const encoder = new TextEncoder();

/** Whether the service created the event, without a message from the sensor. */
const isFromService = (raw: unknown): boolean => raw !== null && Object.keys(Object(raw)).length === 0;

type EventMessage = Pick<Event, 'type' | 'action' | 'createDate'> & { text: string };

/** Returns the query for an event with the exact message text, because parsing would round long numbers. */
const useMessage = (sensorId: string, uuid: string) =>
  useQuery({
    queryKey: ['sensor', sensorId, 'event', uuid],
    queryFn: async (): Promise<EventMessage> => {
      const params = { path: { sensorId, uuid } };
      const response = await ok(api.GET('/sensors/{sensorId}/events/{uuid}', { params, parseAs: 'text' }));
      return { ...(JSON.parse(response) as Event), text: /"raw":(.*)\}$/s.exec(response)?.[1] ?? '{}' };
    },
  });

const Message = ({ sensorId, uuid }: { sensorId: string; uuid: string }) => {
  const texts = useTexts();
  const dates = useDates();
  const can = useCan();
  const { events } = texts.sensor;
  return (
    <Loaded query={useMessage(sensorId, uuid)}>
      {({ type, action, createDate, text }) => (
        <Stack>
          <Text>{`${eventName(`${type}/${action}`, texts)}, ${dates.exact(createDate)}`}</Text>
          {text !== '{}' && (
            <Code label={events.size(dates.number(encoder.encode(text).length))} copied={text}>
              {pretty(text)}
            </Code>
          )}
          {can(managers) && (
            <Anchor component={Link} href={deliveriesHref(uuid, createDate)}>
              {events.deliveries}
            </Anchor>
          )}
        </Stack>
      )}
    </Loaded>
  );
};

const useColumns = (onOpen: (uuid: string) => void): Column<Event>[] => {
  const texts = useTexts();
  const dates = useDates();
  const { none, sensor } = texts;
  const { events } = sensor;
  const sizeOf = (raw: unknown): string => {
    if (isFromService(raw)) return none;
    if (raw === null) return events.large;
    return events.size(dates.number(encoder.encode(JSON.stringify(raw)).length));
  };
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  return [
    { head: events.time, cell: ({ createDate }) => dates.exact(createDate) },
    { head: events.what, cell: ({ type, action }) => eventName(`${type}/${action}`, texts) },
    {
      head: events.where,
      cell: ({ normalizedCoordinates: at, region }) =>
        [region?.name, at && `${percent(at.x)} / ${percent(at.y)}`].filter(Boolean).join(', '),
      isMinor: true,
    },
    {
      head: events.bytes,
      cell: ({ uuid, raw }) => (
        <Button variant="default" size="compact-xs" title={events.open} onClick={() => onOpen(uuid)}>
          {sizeOf(raw)}
        </Button>
      ),
    },
  ];
};

/** Lists sensor events with their messages, newest first. */
export const Events = ({ sensor: { id: sensorId } }: { sensor: Sensor }) => {
  const { sensor } = useTexts();
  const [page, setPage] = useState(0);
  const [search, setSearch] = useSearchParams();
  const open = search.get('event');
  const setOpen = (event: string | null) =>
    setSearch({ part: 'events', ...(event !== null && { event }) }, { replace: true });
  const params = { path: { sensorId }, query: { page, perPage: PER_PAGE } };
  const events = useQuery({
    queryKey: ['sensor', sensorId, 'events', page],
    queryFn: () => okPage(api.GET('/sensors/{sensorId}/events', { params })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <>
      <List
        label={sensor.events.label}
        query={events}
        columns={useColumns(setOpen)}
        rowKey={({ uuid }) => uuid}
        empty={sensor.events.empty}
        onPage={setPage}
      />
      <Dialog opened={open !== null} onClose={() => setOpen(null)} title={sensor.events.title} size="lg">
        {open !== null && <Message sensorId={sensorId} uuid={open} />}
      </Dialog>
    </>
  );
};
