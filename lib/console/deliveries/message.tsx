import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { Code } from '../ui/code.tsx';
import { pretty } from '../ui/pretty.ts';
import { Loaded } from '../ui/states.tsx';
import { useWebhook } from '../webhooks/webhook.tsx';
import { deliveryCalls } from './delivery-calls.ts';
import type { DeliveryRef } from './delivery-key.ts';
import { useDeliveryTexts } from './texts.ts';
import { verifyCode } from './verify.ts';

type MessageProps = { webhookId: string; deliveryId: string };

/** Shows the request for a delivery: headers, body, and code to verify the signature. */
export const Message = ({ webhookId, deliveryId }: MessageProps) => {
  const texts = useDeliveryTexts();
  const isSigned = useWebhook(webhookId).data?.hasSecretKey === true;
  const path = { webhookId, deliveryId };
  const message = useQuery({
    queryKey: ['message of delivery', deliveryId],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}/deliveries/{deliveryId}/message', { params: { path } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-label={texts.message}>
      <Title order={2} size="h3" mb="sm">
        {texts.message}
      </Title>
      <Loaded query={message}>
        {({ headers, body }) => (
          <Stack>
            <Code label={texts.headers}>
              {Object.entries(headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            </Code>
            <Text size="sm">
              {isSigned ? `${texts.perAttemptHeaders} ${texts.signatureHeaders}` : texts.perAttemptHeaders}
            </Text>
            {body === null ? (
              <Text>{texts.bodyGone}</Text>
            ) : (
              <Code label={texts.body} copied={body}>
                {pretty(body)}
              </Code>
            )}
            {isSigned && <Code label={texts.verify}>{verifyCode}</Code>}
          </Stack>
        )}
      </Loaded>
    </section>
  );
};

/** Shows the notification text sent to a person. */
export const PersonMessage = ({ target }: { target: DeliveryRef }) => {
  const texts = useDeliveryTexts();
  const message = useQuery({
    queryKey: ['message of delivery', target.deliveryId],
    queryFn: deliveryCalls(target).message,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section aria-label={texts.message}>
      <Title order={2} size="h3" mb="sm">
        {texts.message}
      </Title>
      <Loaded query={message}>
        {({ body }) => (
          <Stack>
            <Text style={{ whiteSpace: 'pre-wrap' }}>{body}</Text>
            <Text size="sm">{texts.linkAdded}</Text>
          </Stack>
        )}
      </Loaded>
    </section>
  );
};
