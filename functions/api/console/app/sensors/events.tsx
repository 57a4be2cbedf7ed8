import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Event, Sensor } from 'openapi';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { ok, okPage } from '../api/problem.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type Column, List } from '../ui/list.tsx';
import { Loaded } from '../ui/states.tsx';
import { nameOf } from './kinds.ts';

const PER_PAGE = 30;
const encoder = new TextEncoder();

/** Did the service make the event itself, without a message of the sensor? */
const isOwn = (raw: unknown): boolean => raw !== null && Object.keys(Object(raw)).length === 0;

/**
 * The query for the text of a message exactly as it was stored, because parsing would round numbers with many digits.
 */
const useMessage = (sensorId: string, uuid: string) =>
  useQuery({
    queryKey: ['sensor', sensorId, 'event', uuid],
    queryFn: async () => {
      const params = { path: { sensorId, uuid } };
      const text = await ok(api.GET('/sensors/{sensorId}/events/{uuid}', { params, parseAs: 'text' }));
      return /"raw":(.*)\}$/s.exec(text)?.[1] ?? '{}';
    },
  });

const Message = ({ sensorId, uuid }: { sensorId: string; uuid: string }) => {
  const { sensor } = useTexts();
  const dates = useDates();
  return (
    <Loaded query={useMessage(sensorId, uuid)}>
      {(text) => (
        <Stack>
          <Group justify="space-between">
            <Text size="sm">{sensor.events.size(dates.number(encoder.encode(text).length))}</Text>
            <CopyButton text={text} />
          </Group>
          <Code block className="message" tabIndex={0}>
            {text}
          </Code>
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
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  return [
    { head: events.time, cell: ({ createDate }) => dates.exact(createDate) },
    { head: events.what, cell: (event) => nameOf(event, texts) },
    {
      head: events.point,
      cell: ({ normalizedCoordinates: at }) => (at ? `${percent(at.x)} / ${percent(at.y)}` : ''),
      isMinor: true,
    },
    {
      head: events.bytes,
      cell: ({ uuid, raw }) =>
        isOwn(raw) ? (
          none
        ) : (
          <Button variant="default" size="xs" title={events.open} onClick={() => onOpen(uuid)}>
            {raw === null ? events.large : events.size(dates.number(encoder.encode(JSON.stringify(raw)).length))}
          </Button>
        ),
    },
  ];
};

/** Lists the events of a sensor, newest first, each with its message. */
export const Events = ({ sensor: { id: sensorId } }: { sensor: Sensor }) => {
  const { sensor } = useTexts();
  const [page, setPage] = useState(0);
  const [open, setOpen] = useState<string | null>(null);
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
        keyOf={({ uuid }) => uuid}
        empty={sensor.events.empty}
        onPage={setPage}
      />
      <Dialog opened={open !== null} onClose={() => setOpen(null)} title={sensor.events.title} size="lg">
        {open !== null && <Message sensorId={sensorId} uuid={open} />}
      </Dialog>
    </>
  );
};
