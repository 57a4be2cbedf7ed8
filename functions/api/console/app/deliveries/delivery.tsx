import { Anchor, Button, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeliveryDetail } from 'openapi';
import { Link, useLocation, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Attempts } from './attempts.tsx';
import { Message } from './message.tsx';
import { StateBadge } from './state.tsx';

type Place = { webhookId: string; deliveryId: string };

const Redeliver = ({ path }: { path: Place }) => {
  const { deliveries: texts } = useTexts();
  const [, go] = useLocation();
  const send = useWrite({
    send: () => ok(api.POST('/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver', { params: { path } })),
    done: texts.redelivered,
    refresh: [['deliveries', path.webhookId]],
    onDone: ({ deliveryId }) => go(`/deliveries/${path.webhookId}/${deliveryId}`),
  });
  return (
    <Button onClick={() => send.mutate()} loading={send.isPending}>
      {texts.redeliver}
    </Button>
  );
};

const Facts = ({ delivery }: { delivery: DeliveryDetail }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const { webhookId, event, state, reason, createDate, nextAttempt, replayOf } = delivery;
  return (
    <Paper withBorder p="md" mb="lg">
      <dl className="facts">
        <dt>{texts.event}</dt>
        <dd>{event}</dd>
        <dt>{texts.time}</dt>
        <dd>{dates.exact(createDate)}</dd>
        <dt>{texts.state}</dt>
        <dd>
          <StateBadge state={state} /> {reason !== null && (texts.reasons[reason] ?? reason)}
        </dd>
        {nextAttempt !== null && (
          <>
            <dt>{texts.next}</dt>
            <dd>{dates.exact(nextAttempt)}</dd>
          </>
        )}
        {replayOf !== null && (
          <>
            <dt>{texts.repeats}</dt>
            <dd>
              <Anchor component={Link} href={`/deliveries/${webhookId}/${replayOf}`}>
                {replayOf}
              </Anchor>
            </dd>
          </>
        )}
      </dl>
    </Paper>
  );
};

const ENDED = ['delivered', 'failed', 'held'];

/** The page of a delivery: its state, each attempt, and the request that is sent. */
export const DeliveryPage = () => {
  const { webhookId = '', deliveryId = '' } = useParams();
  const { deliveries: texts } = useTexts();
  const path = { webhookId, deliveryId };
  const delivery = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}/deliveries/{deliveryId}', { params: { path } })),
    refetchInterval: ({ state }) => (ENDED.includes(state.data?.state ?? '') ? 10_000 : 1_000),
  });
  return (
    <>
      <Head title={texts.one} back={{ href: `/deliveries/${webhookId}`, label: texts.title }}>
        <Redeliver path={path} />
      </Head>
      <Loaded query={delivery}>
        {(found) => (
          <>
            <Facts delivery={found} />
            <div className="halves">
              <Attempts log={found.attemptLog} />
              <Message webhookId={webhookId} deliveryId={deliveryId} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
};
