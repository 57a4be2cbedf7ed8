import { Anchor, Button, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { DeliveryDetail } from '#openapi';
import { isResting } from '#shared/domain/delivery/states.ts';
import { useWrite } from '../api/write.ts';
import { eventName, TEST_EVENT } from '../sensors/event-name.ts';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Head } from '../ui/head.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { Loaded } from '../ui/states.tsx';
import { useWebhook } from '../webhooks/webhook.tsx';
import { Attempts } from './attempts.tsx';
import { type DeliveryRef, deliveryCalls, deliveryHref } from './delivery-ref.ts';
import { Message, PersonMessage } from './message.tsx';
import { personLabel } from './person-label.ts';
import { StateBadge } from './state.tsx';

const Redeliver = ({ target }: { target: DeliveryRef }) => {
  const { deliveries: texts } = useTexts();
  const [, go] = useLocation();
  const send = useWrite({
    send: deliveryCalls(target).redeliver,
    done: texts.redelivered,
    refresh: [['deliveries']],
    onDone: ({ deliveryId }) => go(deliveryHref({ ...target, deliveryId })),
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

const WebhookFact = ({ webhookId }: { webhookId: string }) => {
  const { deliveries: texts } = useTexts();
  const webhook = useWebhook(webhookId).data;
  return (
    <Fact label={texts.webhook}>
      <NameLink href={`/webhooks/${webhookId}`}>{webhook?.name ?? texts.webhook}</NameLink>
    </Fact>
  );
};

/** The subject of a delivery: the event, the room, the rule that fired, and the webhook or person. */
const SubjectFacts = ({ delivery }: { delivery: DeliveryDetail }) => {
  const texts = useTexts();
  const { deliveries } = texts;
  const { webhookId, event, eventUuid, sensorId, sensorName, ruleId, ruleName } = delivery;
  const name = eventName(event, texts);
  const isTest = event === TEST_EVENT;
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
          <Name>{personLabel(deliveries, delivery)}</Name>
        </Fact>
      ) : (
        <WebhookFact webhookId={webhookId} />
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
        <SubjectFacts delivery={delivery} />
        <Fact label={texts.time}>{dates.exact(createDate)}</Fact>
        <Fact label={texts.state}>
          <StateBadge state={state} /> {reason !== null && (texts.reasons[reason] ?? reason)}
        </Fact>
        {nextAttempt !== null && <Fact label={texts.next}>{dates.exact(nextAttempt)}</Fact>}
        {replayOf !== null && (
          <Fact label={texts.resendOf}>
            <Anchor component={Link} href={deliveryHref({ webhookId, deliveryId: replayOf })}>
              {replayOf}
            </Anchor>
          </Fact>
        )}
      </dl>
    </Paper>
  );
};

const DeliveryAt = ({ target }: { target: DeliveryRef }) => {
  const { webhookId, deliveryId } = target;
  const { deliveries: texts } = useTexts();
  const delivery = useQuery({
    queryKey: ['delivery', deliveryId],
    queryFn: deliveryCalls(target).get,
    refetchInterval: ({ state }) => (isResting(state.data?.state) ? 10_000 : 1_000),
  });
  const href = webhookId === null ? '/deliveries' : `/deliveries/${webhookId}`;
  return (
    <>
      <Head title={texts.delivery} back={{ href, label: texts.title }}>
        <Redeliver target={target} />
      </Head>
      <Loaded query={delivery}>
        {(found) => (
          <>
            <Facts delivery={found} />
            <div className="halves">
              <Attempts log={found.attemptLog} />
              {webhookId === null ? (
                <PersonMessage target={target} />
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
  return <DeliveryAt target={{ webhookId, customerId: null, deliveryId }} />;
};

/** The page of a delivery to a person: its state, each attempt, and the text that is sent. */
export const PersonDeliveryPage = () => {
  const { personDeliveryId: deliveryId = '' } = useParams();
  return (
    <WithCustomer>{(customerId) => <DeliveryAt target={{ webhookId: null, customerId, deliveryId }} />}</WithCustomer>
  );
};
