import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useConfirm } from '../ui/confirm.tsx';
import { Secret } from '../ui/secret.tsx';
import { Section } from '../ui/section.tsx';
import { generateSecret } from './secret.ts';
import { useWebhookTexts } from './texts.ts';

const Token = ({ webhookId }: { webhookId: string }) => {
  const texts = useWebhookTexts();
  const confirm = useConfirm();
  const generate = useWrite({
    send: () => ok(api.POST('/webhooks/{webhookId}/token', { params: { path: { webhookId } } })),
  });
  const ask = async () => {
    const question = { title: texts.newToken, text: texts.tokenText, action: texts.newToken };
    if (await confirm(question)) generate.mutate();
  };
  return (
    <>
      <Group>
        <Button variant="default" onClick={ask} loading={generate.isPending}>
          {texts.newToken}
        </Button>
      </Group>
      {generate.data && <Secret title={texts.token}>{generate.data.token}</Secret>}
    </>
  );
};

const SecretRotation = ({ webhookId }: { webhookId: string }) => {
  const texts = useWebhookTexts();
  const [overlap, setOverlap] = useState('86400');
  const rotate = useWrite({
    send: async () => {
      const body = { secretKey: generateSecret(), overlapSeconds: Number(overlap) };
      await ok(api.PUT('/webhooks/{webhookId}/secret', { params: { path: { webhookId } }, body }));
      return body.secretKey;
    },
    done: texts.secretChanged,
    refresh: [['webhook', webhookId]],
  });
  return (
    <>
      <Group align="end">
        <Select
          label={texts.overlap}
          data={Object.entries(texts.overlaps).map(([value, label]) => ({ value, label }))}
          value={overlap}
          onChange={(value) => value && setOverlap(value)}
          allowDeselect={false}
        />
        <Button variant="default" onClick={() => rotate.mutate()} loading={rotate.isPending}>
          {texts.newSecret}
        </Button>
      </Group>
      {rotate.data !== undefined && <Secret title={texts.secret}>{rotate.data}</Secret>}
    </>
  );
};

/** Lets the user replace the token and the secret that a receiver uses to verify requests. */
export const Keys = ({ webhook: { id, hasSecretKey, authMethod } }: { webhook: Webhook }) => {
  const texts = useWebhookTexts();
  return (
    <Section title={texts.keys}>
      <Stack>
        <Text>{hasSecretKey ? texts.hasSecret : texts.noSecret}</Text>
        {authMethod !== 'none' && <Token webhookId={id} />}
        <SecretRotation webhookId={id} />
      </Stack>
    </Section>
  );
};
