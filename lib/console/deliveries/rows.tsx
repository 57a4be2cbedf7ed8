import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Delivery } from '#openapi';
import { eventName, TEST_EVENT } from '../sensors/event-name.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { type Column, List, type Paged } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { deliveryHref } from './delivery-ref.ts';
import { StateBadge } from './state.tsx';

type RowsProps = {
  query: UseQueryResult<Paged<Delivery>>;
  /** An additional column. */
  extra?: Column<Delivery>;
  onPage: (page: number) => void;
  /** Whether a filter leaves out some deliveries. */
  isFiltered: boolean;
};

/** The list of deliveries: time, event, room, rule, and status. */
export const Rows = ({ query, extra, onPage, isFiltered }: RowsProps) => {
  const texts = useTexts();
  const { deliveries } = texts;
  const dates = useDates();
  return (
    <List<Delivery>
      label={deliveries.title}
      query={query}
      rowKey={({ id }) => id}
      empty={isFiltered ? deliveries.noMatch : deliveries.none}
      onPage={onPage}
      columns={[
        {
          head: deliveries.time,
          cell: ({ id, webhookId, createDate }) => (
            <Anchor component={Link} href={deliveryHref({ webhookId, deliveryId: id })} inherit>
              {dates.exact(createDate)}
            </Anchor>
          ),
        },
        { head: deliveries.event, cell: ({ event }) => eventName(event, texts) },
        {
          head: deliveries.room,
          cell: ({ event, sensorId, sensorName }) =>
            event === TEST_EVENT ? '' : <NameLink href={`/sensors/${sensorId}`}>{sensorName}</NameLink>,
        },
        {
          head: deliveries.rule,
          cell: ({ ruleName }) => (ruleName === null ? '' : <Name>{ruleName}</Name>),
          isMinor: true,
        },
        ...(extra ? [extra] : []),
        { head: deliveries.state, cell: ({ state }) => <StateBadge state={state} /> },
        { head: deliveries.attempts, cell: ({ attempts }) => dates.number(attempts), isMinor: true },
        { head: deliveries.resent, cell: ({ replayOf }) => (replayOf === null ? '' : '✓'), isMinor: true },
      ]}
    />
  );
};
