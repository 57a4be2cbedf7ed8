import { Button, Group, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import type { CreatedWebhook } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useMay } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { useDraft } from '../ui/draft.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { Secret } from '../ui/secret.tsx';
import { isForChat, isGood, newWebhook, updateOf } from './draft.ts';
import { WebhookFields } from './fields.tsx';
import { Sample } from './sample.tsx';
import { drawSecret } from './secret.ts';

type Made = { webhook: CreatedWebhook; secretKey: string | null };

/** Shows the keys that a receiver needs; they are not shown again. */
const Keys = ({ made: { webhook, secretKey } }: { made: Made }) => {
  const { webhooks: texts } = useTexts();
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

type FormProps = { customerId: number; onMade: (made: Made) => void };
const Creation = ({ customerId, onMade }: FormProps) => {
  const { webhooks: texts, create: label } = useTexts();
  const may = useMay();
  const [draft, change] = useDraft(newWebhook(!may('manage_bots')));
  const [isSigned, setSigned] = useState(true);
  const create = useWrite({
    send: async (): Promise<Made> => {
      const secretKey = isSigned && !isForChat(draft.format) ? drawSecret() : null;
      const body = { ...updateOf(draft, true), secretKey, customerId };
      return { webhook: await ok(api.POST('/webhooks', { body })), secretKey };
    },
    done: texts.created,
    refresh: [['webhooks']],
    onDone: onMade,
  });
  return (
    <div className="halves">
      <Form action={label} isPending={create.isPending} onSubmit={() => isGood(draft) && create.mutate()}>
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
  const { webhooks: texts } = useTexts();
  const [made, setMade] = useState<Made | null>(null);
  return (
    <>
      <Head title={made?.webhook.name ?? texts.create} back={{ href: '/webhooks', label: texts.title }} />
      {made ? (
        <Keys made={made} />
      ) : (
        <OfCustomer>{(customerId) => <Creation customerId={customerId} onMade={setMade} />}</OfCustomer>
      )}
    </>
  );
};
