import { Anchor, Button, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { DeliveryDetail } from '#openapi';
import { isResting } from '#shared/domain/delivery/states.ts';
import { useWrite } from '../api/write.ts';
import { nameOf, TEST } from '../sensors/kinds.ts';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Loaded } from '../ui/states.tsx';
import { useWebhook } from '../webhooks/webhook.tsx';
import { Attempts } from './attempts.tsx';
import { Message, PersonMessage } from './message.tsx';
import { personSaid } from './person.ts';
import { callsOf, hrefOf, type Place } from './place.ts';
import { StateBadge } from './state.tsx';

const Redeliver = ({ place }: { place: Place }) => {
  const { deliveries: texts } = useTexts();
  const [, go] = useLocation();
  const send = useWrite({
    send: callsOf(place).redeliver,
    done: texts.redelivered,
    refresh: [['deliveries']],
    onDone: ({ deliveryId }) => go(hrefOf({ ...place, deliveryId })),
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

const ToWebhook = ({ webhookId }: { webhookId: string }) => {
  const { deliveries: texts } = useTexts();
  const webhook = useWebhook(webhookId).data;
  return (
    <Fact label={texts.webhook}>
      <NameLink href={`/webhooks/${webhookId}`}>{webhook?.name ?? texts.webhook}</NameLink>
    </Fact>
  );
};

/** What the delivery is about: the event with its message, the room, the rule that fired, and the webhook or the person. */
const About = ({ delivery }: { delivery: DeliveryDetail }) => {
  const texts = useTexts();
  const { deliveries } = texts;
  const { webhookId, event, eventUuid, sensorId, sensorName, ruleId, ruleName } = delivery;
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
      {webhookId === null ? (
        <Fact label={deliveries.person}>
          <Name>{personSaid(deliveries, delivery)}</Name>
        </Fact>
      ) : (
        <ToWebhook webhookId={webhookId} />
      )}
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
          <Fact label={texts.resendOf}>
            <Anchor component={Link} href={hrefOf({ webhookId, deliveryId: replayOf })}>
              {replayOf}
            </Anchor>
          </Fact>
        )}
      </dl>
    </Paper>
  );
};

const DeliveryAt = ({ place }: { place: Place }) => {
  const { webhookId, deliveryId } = place;
  const { deliveries: texts } = useTexts();
  const delivery = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: callsOf(place).get,
    refetchInterval: ({ state }) => (isResting(state.data?.state) ? 10_000 : 1_000),
  });
  const href = webhookId === null ? '/deliveries' : `/deliveries/${webhookId}`;
  return (
    <>
      <Head title={texts.delivery} back={{ href, label: texts.title }}>
        <Redeliver place={place} />
      </Head>
      <Loaded query={delivery}>
        {(found) => (
          <>
            <Facts delivery={found} />
            <div className="halves">
              <Attempts log={found.attemptLog} />
              {webhookId === null ? (
                <PersonMessage place={place} />
              ) : (
                <Message webhookId={webhookId} deliveryId={deliveryId} />
              )}
            </div>
          </>
        )}
      </Loaded>
    </>
  );
};

/** The page of a delivery to a webhook: its state, each attempt, and the request that is sent. */
export const DeliveryPage = () => {
  const { webhookId = '', deliveryId = '' } = useParams();
  return <DeliveryAt place={{ webhookId, customerId: null, deliveryId }} />;
};

/** The page of a delivery to a person: its state, each attempt, and the text that is sent. */
export const PersonDeliveryPage = () => {
  const { personDeliveryId: deliveryId = '' } = useParams();
  return <OfCustomer>{(customerId) => <DeliveryAt place={{ webhookId: null, customerId, deliveryId }} />}</OfCustomer>;
};
