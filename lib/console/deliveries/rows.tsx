import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Delivery } from '#openapi';
import { nameOf, TEST } from '../sensors/kinds.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { type Column, List, type Paged } from '../ui/list.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { hrefOf } from './place.ts';
import { StateBadge } from './state.tsx';

type RowsProps = {
  query: UseQueryResult<Paged<Delivery>>;
  /** A further column. */
  more?: Column<Delivery>;
  onPage: (page: number) => void;
  /** Does a filter leave some out? */
  isFiltered: boolean;
};

/** A list of deliveries: when, what happened where, which rule told it, and what came of it. */
export const Rows = ({ query, more, onPage, isFiltered }: RowsProps) => {
  const texts = useTexts();
  const { deliveries } = texts;
  const dates = useDates();
  return (
    <List<Delivery>
      label={deliveries.title}
      query={query}
      keyOf={({ id }) => id}
      empty={isFiltered ? deliveries.noMatch : deliveries.none}
      onPage={onPage}
      columns={[
        {
          head: deliveries.time,
          cell: ({ id, webhookId, createDate }) => (
            <Anchor component={Link} href={hrefOf({ webhookId, deliveryId: id })} inherit>
              {dates.exact(createDate)}
            </Anchor>
          ),
        },
        { head: deliveries.event, cell: ({ event }) => nameOf(event, texts) },
        {
          head: deliveries.room,
          cell: ({ event, sensorId, sensorName }) =>
            event === TEST ? '' : <NameLink href={`/sensors/${sensorId}`}>{sensorName}</NameLink>,
        },
        {
          head: deliveries.rule,
          cell: ({ ruleName }) => (ruleName === null ? '' : <Name>{ruleName}</Name>),
          isMinor: true,
        },
        ...(more ? [more] : []),
        { head: deliveries.state, cell: ({ state }) => <StateBadge state={state} /> },
        { head: deliveries.attempts, cell: ({ attempts }) => dates.number(attempts), isMinor: true },
        { head: deliveries.resent, cell: ({ replayOf }) => (replayOf === null ? '' : '✓'), isMinor: true },
      ]}
    />
  );
};
