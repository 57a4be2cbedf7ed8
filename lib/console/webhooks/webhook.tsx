import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { Section } from '../ui/section.tsx';
import { Loaded } from '../ui/states.tsx';
import { draftOf, hasValidRetries, updateOf } from './draft.ts';
import { WebhookFields } from './fields.tsx';
import { Health } from './health.tsx';
import { Keys } from './keys.tsx';
import { Ping } from './ping.tsx';
import { Sample } from './sample.tsx';
import { useWebhookTexts } from './texts.ts';

const pathOf = (webhookId: string) => ({ params: { path: { webhookId } } });

/** Returns a polling query for a webhook. */
export const useWebhook = (webhookId: string) =>
  useQuery({
    queryKey: ['webhook', webhookId],
    queryFn: () => ok(api.GET('/webhooks/{webhookId}', pathOf(webhookId))),
    refetchInterval: 5_000,
    gcTime: 0,
  });

const useSave = ({ id }: Webhook, done: string) =>
  useWrite({
    send: (body: ReturnType<typeof updateOf>) => ok(api.PUT('/webhooks/{webhookId}', { ...pathOf(id), body })),
    done,
    refresh: [['webhook', id], ['webhooks']],
  });

const EnableButton = ({ webhook }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const { isEnabled } = webhook;
  const save = useSave(webhook, isEnabled ? texts.disabled : texts.enabled);
  const toggle = () => save.mutate(updateOf(draftOf(webhook), !isEnabled));
  return (
    <Button variant="default" onClick={toggle} loading={save.isPending}>
      {isEnabled ? texts.disable : texts.enable}
    </Button>
  );
};

const Remove = ({ webhook: { id, name } }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const [, go] = useLocation();
  return (
    <DeleteButton
      name={name}
      text={texts.deleteText}
      send={() => ok(api.DELETE('/webhooks/{webhookId}', pathOf(id)))}
      refresh={[['webhooks']]}
      onDone={() => go('/webhooks')}
    />
  );
};

const Settings = ({ webhook }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const { setup, save: label } = useTexts();
  const [draft, change] = useDraft(draftOf(webhook));
  const save = useSave(webhook, setup.saved);
  const submit = () => hasValidRetries(draft) && save.mutate(updateOf(draft, webhook.isEnabled));
  return (
    <Section title={texts.settings}>
      <div className="halves">
        <Form action={label} isPending={save.isPending} onSubmit={submit}>
          <WebhookFields customerId={webhook.customerId} draft={draft} change={change} error={save.error} />
        </Form>
        <Sample format={draft.format} />
      </div>
    </Section>
  );
};

const WebhookView = ({ webhook }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  const { titles } = useTexts();
  return (
    <>
      <Head title={webhook.name} back={{ href: '/webhooks', label: titles.webhooks }}>
        <Button component={Link} variant="default" href={`/deliveries/${webhook.id}`}>
          {texts.deliveries}
        </Button>
        <AuditLink kind="webhook" id={webhook.id} />
        <EnableButton webhook={webhook} />
        <Remove webhook={webhook} />
      </Head>
      <Stack>
        <div className="halves">
          <Health webhook={webhook} />
          <Ping webhook={webhook} />
        </div>
        <Settings webhook={webhook} />
        <Keys webhook={webhook} />
      </Stack>
    </>
  );
};

export const WebhookPage = () => {
  const { webhookId = '' } = useParams();
  return (
    <Loaded query={useWebhook(webhookId)}>{(webhook) => <WebhookView key={webhook.id} webhook={webhook} />}</Loaded>
  );
};
