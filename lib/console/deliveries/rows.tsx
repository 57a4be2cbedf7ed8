import { Anchor } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { Link } from 'wouter';
import type { Delivery } from '#openapi';
import { roomNameOf } from '../overview/room-name.ts';
import { eventName, TEST_EVENT } from '../sensors/event-name.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { List, type Paged } from '../ui/list.tsx';
import { Name } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { useIsWide } from '../ui/side.tsx';
import { deliveryHref, deliveryKey } from './delivery-key.ts';
import { resultText } from './result.ts';
import { StateBadge } from './state.tsx';
import { useDeliveryTexts } from './texts.ts';

/** The room a delivery is about: the number, or the whole name if there is no number. */
const Room = ({ delivery: { event, sensorName } }: { delivery: Delivery }) => {
  if (event === TEST_EVENT) return null;
  const { number, rest } = roomNameOf(sensorName);
  return (
    <b className="room-no" title={sensorName}>
      <Name>{number ?? rest}</Name>
    </b>
  );
};

/** The time, with the date unless it is today. */
const Time = ({ at, now }: { at: number; now: number }) => {
  const dates = useDates();
  const isToday = dates.day(at) === dates.day(now);
  return <time title={dates.exact(at)}>{isToday ? dates.second(at) : dates.dateTime(at)}</time>;
};

type RowsProps = {
  query: UseQueryResult<Paged<Delivery>>;
  /** Names the receiver of a delivery, unless all deliveries have the same one. */
  receiverOf?: (delivery: Delivery) => string;
  /** The key of the delivery shown beside the list. */
  selected: string | null;
  onSelect: (key: string) => void;
  onPage: (page: number) => void;
  empty: string;
};

/** The delivery list. Wide screens show a delivery beside the list; other screens show it on a separate page. */
export const Rows = ({ query, receiverOf, selected, onSelect, onPage, empty }: RowsProps) => {
  const all = useTexts();
  const texts = useDeliveryTexts();
  const dates = useDates();
  const now = useNow();
  const isWide = useIsWide();
  const open = (key: string) => (event: MouseEvent) => {
    if (!isWide || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onSelect(key);
  };
  return (
    <div className="delivery-list">
      <List<Delivery>
        label={all.titles.deliveries}
        query={query}
        rowKey={({ id }) => id}
        rowClass={(delivery) => (deliveryKey(delivery) === selected ? 'is-selected' : undefined)}
        empty={empty}
        onPage={onPage}
        columns={[
          { head: texts.room, cell: (delivery) => <Room delivery={delivery} /> },
          {
            head: texts.event,
            cell: ({ id, webhookId, event, ruleName }) => (
              <>
                <Anchor
                  component={Link}
                  href={deliveryHref({ webhookId, deliveryId: id })}
                  onClick={open(deliveryKey({ id, webhookId }))}
                  inherit
                >
                  {eventName(event, all)}
                </Anchor>
                {ruleName !== null && (
                  <span className="meta block">
                    <Name>{ruleName}</Name>
                  </span>
                )}
              </>
            ),
          },
          { head: texts.state, cell: ({ state }) => <StateBadge state={state} /> },
          {
            head: receiverOf ? texts.receiverAndResult : texts.result,
            cell: (delivery) => (
              <>
                {receiverOf && <Name>{receiverOf(delivery)}</Name>}
                <span className="meta block">{resultText(delivery, now, texts, dates.number)}</span>
              </>
            ),
          },
          { head: texts.attempts, cell: ({ attempts }) => dates.number(attempts), isMinor: true },
          { head: texts.time, cell: ({ createDate }) => <Time at={createDate} now={now} /> },
        ]}
      />
    </div>
  );
};
