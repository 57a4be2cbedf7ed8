import { Anchor, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { DeliveryDetail } from '#openapi';
import { isResting } from '#shared/domain/delivery/states.ts';
import { useWrite } from '../api/write.ts';
import { eventName, TEST_EVENT } from '../sensors/event-name.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { Name, NameLink } from '../ui/name.tsx';
import { useNow } from '../ui/now.ts';
import { useWebhook } from '../webhooks/webhook.tsx';
import { Attempts } from './attempts.tsx';
import { deliveryCalls } from './delivery-calls.ts';
import { type DeliveryRef, deliveryHref } from './delivery-key.ts';
import { Message, PersonMessage } from './message.tsx';
import { personLabel } from './person-label.ts';
import { noteOf } from './result.ts';
import { StateBadge, StateIcon } from './state.tsx';
import { useDeliveryTexts } from './texts.ts';

/** Returns the query for a delivery. It is polled more often until the delivery ends. */
export const useDelivery = (target: DeliveryRef) =>
  useQuery({
    queryKey: ['delivery', target.deliveryId],
    queryFn: deliveryCalls(target).get,
    refetchInterval: ({ state }) => (isResting(state.data?.state) ? 10_000 : 1_000),
  });

/** Returns a function that builds a delivery title from the event and the room. */
export const useDeliveryTitle = () => {
  const all = useTexts();
  const texts = useDeliveryTexts();
  return (delivery: Pick<DeliveryDetail, 'event' | 'sensorName'> | undefined): string => {
    if (!delivery) return texts.delivery;
    const { event, sensorName } = delivery;
    return event === TEST_EVENT ? eventName(event, all) : `${eventName(event, all)}, ${sensorName}`;
  };
};

/** How long (ms) an alarm has its own page. */
const ALARM_SHOWN_MS = 24 * 3_600_000;

type ActionsProps = { target: DeliveryRef; delivery: DeliveryDetail; onResent: (deliveryId: string) => void };
const Actions = ({ target, delivery, onResent }: ActionsProps) => {
  const texts = useDeliveryTexts();
  const now = useNow(60_000);
  const send = useWrite({
    send: deliveryCalls(target).redeliver,
    done: texts.redelivered,
    refresh: [['deliveries']],
    onDone: ({ deliveryId }) => onResent(deliveryId),
  });
  const { ruleHitId, sensorId, createDate } = delivery;
  return (
    <Group gap="sm">
      <Button onClick={() => send.mutate()} loading={send.isPending}>
        {texts.redeliver}
      </Button>
      {ruleHitId !== null && createDate > now - ALARM_SHOWN_MS && (
        <Button component={Link} variant="default" href={`/alarms/${sensorId}`}>
          {texts.openAlarm}
        </Button>
      )}
    </Group>
  );
};

/** A note about a delivery that has not arrived. */
const Note = ({ delivery }: { delivery: DeliveryDetail }) => {
  const texts = useDeliveryTexts();
  const note = noteOf(delivery, useNow(), texts);
  if (!note) return null;
  const [what, consequence] = note;
  return (
    <p className="gap-note with-icon">
      <StateIcon state={delivery.state} />
      <span>
        <b>{what}</b> {consequence}
      </span>
    </p>
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
  const texts = useDeliveryTexts();
  const webhook = useWebhook(webhookId).data;
  return (
    <Fact label={texts.webhook}>
      <NameLink href={`/webhooks/${webhookId}`}>{webhook?.name ?? texts.webhook}</NameLink>
    </Fact>
  );
};

/** What a delivery is about: the webhook or person, the event, the room, and the rule that fired. */
const SubjectFacts = ({ delivery }: { delivery: DeliveryDetail }) => {
  const all = useTexts();
  const texts = useDeliveryTexts();
  const { webhookId, event, eventUuid, sensorId, sensorName, ruleId, ruleName } = delivery;
  const name = eventName(event, all);
  const isTest = event === TEST_EVENT;
  const href = `/sensors/${sensorId}?part=events&event=${eventUuid}`;
  return (
    <>
      {webhookId === null ? (
        <Fact label={texts.person}>
          <Name>{personLabel(all.overview, texts.person, delivery)}</Name>
        </Fact>
      ) : (
        <WebhookFact webhookId={webhookId} />
      )}
      <Fact label={texts.event}>{isTest ? name : <NameLink href={href}>{name}</NameLink>}</Fact>
      {!isTest && (
        <Fact label={texts.room}>
          <NameLink href={`/sensors/${sensorId}?part=hits`}>{sensorName}</NameLink>
        </Fact>
      )}
      {ruleId !== null && (
        <Fact label={texts.rule}>
          <NameLink href={`/rules/${ruleId}`}>{ruleName ?? String(ruleId)}</NameLink>
        </Fact>
      )}
    </>
  );
};

const Facts = ({ delivery }: { delivery: DeliveryDetail }) => {
  const texts = useDeliveryTexts();
  const dates = useDates();
  const { webhookId, state, reason, createDate, replayOf } = delivery;
  return (
    <dl className="facts">
      <SubjectFacts delivery={delivery} />
      <Fact label={texts.time}>{dates.exact(createDate)}</Fact>
      <Fact label={texts.state}>
        <StateBadge state={state} /> {state === 'delivered' && reason !== null && (texts.reasons[reason] ?? reason)}
      </Fact>
      {replayOf !== null && (
        <Fact label={texts.resendOf}>
          <Anchor component={Link} href={deliveryHref({ webhookId, deliveryId: replayOf })}>
            {replayOf}
          </Anchor>
        </Fact>
      )}
    </dl>
  );
};

/** Delivery details: what to do, each attempt, and the message. */
export const DeliveryView = ({ target, delivery, onResent }: ActionsProps) => {
  const { webhookId, deliveryId } = target;
  return (
    <Stack className="delivery">
      <Note delivery={delivery} />
      <Actions target={target} delivery={delivery} onResent={onResent} />
      <Facts delivery={delivery} />
      <div className="halves">
        <Attempts log={delivery.attemptLog} />
        {webhookId === null ? (
          <PersonMessage target={target} />
        ) : (
          <Message webhookId={webhookId} deliveryId={deliveryId} />
        )}
      </div>
    </Stack>
  );
};
