import { Anchor, Button, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeliveryDetail } from 'openapi';
import type { ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { nameOf, TEST } from '../sensors/kinds.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { NameLink } from '../ui/name.tsx';
import { Loaded } from '../ui/states.tsx';
import { useWebhook } from '../webhooks/webhook.tsx';
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

type FactProps = { label: string; children: ReactNode };
const Fact = ({ label, children }: FactProps) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
);

/** What the delivery is about: the event with its message, the room, the rule that fired, and the webhook. */
const About = ({ delivery }: { delivery: DeliveryDetail }) => {
  const texts = useTexts();
  const { deliveries } = texts;
  const { webhookId, event, eventUuid, sensorId, sensorName, ruleId, ruleName } = delivery;
  const webhook = useWebhook(webhookId).data;
  const name = nameOf(event, texts);
  const isTest = event === TEST;
  const href = `/sensors/${sensorId}?part=events&event=${eventUuid}`;
  return (
    <>
      <Fact label={deliveries.event}>{isTest ? name : <NameLink href={href}>{name}</NameLink>}</Fact>
      {!isTest && (
        <Fact label={deliveries.room}>
          <NameLink href={`/sensors/${sensorId}?part=hits`}>{sensorName}</NameLink>
        </Fact>
      )}
      {ruleId !== null && (
        <Fact label={deliveries.rule}>
          <NameLink href={`/rules/${ruleId}`}>{ruleName ?? String(ruleId)}</NameLink>
        </Fact>
      )}
      <Fact label={deliveries.webhook}>
        <NameLink href={`/webhooks/${webhookId}`}>{webhook?.name ?? deliveries.oneWebhook}</NameLink>
      </Fact>
    </>
  );
};

const Facts = ({ delivery }: { delivery: DeliveryDetail }) => {
  const { deliveries: texts } = useTexts();
  const dates = useDates();
  const { webhookId, state, reason, createDate, nextAttempt, replayOf } = delivery;
  return (
    <Paper withBorder p="md" mb="lg">
      <dl className="facts">
        <About delivery={delivery} />
        <Fact label={texts.time}>{dates.exact(createDate)}</Fact>
        <Fact label={texts.state}>
          <StateBadge state={state} /> {reason !== null && (texts.reasons[reason] ?? reason)}
        </Fact>
        {nextAttempt !== null && <Fact label={texts.next}>{dates.exact(nextAttempt)}</Fact>}
        {replayOf !== null && (
          <Fact label={texts.repeats}>
            <Anchor component={Link} href={`/deliveries/${webhookId}/${replayOf}`}>
              {replayOf}
            </Anchor>
          </Fact>
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
