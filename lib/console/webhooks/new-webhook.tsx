import { Button, Group, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { CreatedWebhook } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useCan } from '../session/session.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { Secret } from '../ui/secret.tsx';
import { hasValidRetries, isForChat, newWebhook, updateOf } from './draft.ts';
import { WebhookFields } from './fields.tsx';
import { Sample } from './sample.tsx';
import { generateSecret } from './secret.ts';
import { useWebhookTexts } from './texts.ts';

type Created = { webhook: CreatedWebhook; secretKey: string | null };

/** Shows the token and the secret that a receiver needs. They are not shown again. */
const Keys = ({ created: { webhook, secretKey } }: { created: Created }) => {
  const texts = useWebhookTexts();
  return (
    <Stack className="narrow">
      {(webhook.authMethod !== 'none' || webhook.url === null) && <Secret title={texts.token}>{webhook.token}</Secret>}
      {secretKey !== null && <Secret title={texts.secret}>{secretKey}</Secret>}
      <Group>
        <Button component={Link} href={`/webhooks/${webhook.id}`}>
          {texts.open}
        </Button>
      </Group>
    </Stack>
  );
};

type FormProps = { customerId: number; onCreated: (created: Created) => void };
const NewWebhookForm = ({ customerId, onCreated }: FormProps) => {
  const texts = useWebhookTexts();
  const { create: label } = useTexts();
  const can = useCan();
  const [draft, change] = useDraft(newWebhook(!can('manage_bots')));
  const [isSigned, setSigned] = useState(true);
  const create = useWrite({
    send: async (): Promise<Created> => {
      const secretKey = isSigned && !isForChat(draft.format) ? generateSecret() : null;
      const body = { ...updateOf(draft, true), secretKey, customerId };
      return { webhook: await ok(api.POST('/webhooks', { body })), secretKey };
    },
    done: texts.created,
    refresh: [['webhooks']],
    onDone: onCreated,
  });
  return (
    <div className="halves">
      <Form action={label} isPending={create.isPending} onSubmit={() => hasValidRetries(draft) && create.mutate()}>
        <WebhookFields customerId={customerId} draft={draft} change={change} error={create.error} />
        {!isForChat(draft.format) && (
          <Switch
            label={texts.sign}
            checked={isSigned}
            onChange={({ currentTarget }) => setSigned(currentTarget.checked)}
          />
        )}
      </Form>
      <Sample format={draft.format} />
    </div>
  );
};

export const NewWebhookPage = () => {
  const texts = useWebhookTexts();
  const { titles } = useTexts();
  const [created, setCreated] = useState<Created | null>(null);
  return (
    <>
      <Head title={created?.webhook.name ?? texts.create} back={{ href: '/webhooks', label: titles.webhooks }} />
      {created ? (
        <Keys created={created} />
      ) : (
        <WithCustomer>{(customerId) => <NewWebhookForm customerId={customerId} onCreated={setCreated} />}</WithCustomer>
      )}
    </>
  );
};
