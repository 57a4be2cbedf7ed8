import { Alert, Anchor, MultiSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Rule } from 'openapi';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { ok } from '../api/problem.ts';
import { useMay } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';

type Recipient = Rule['recipients'][number];

/** The webhooks that a rule can tell, which are those of bots. Only users who may manage bots can see them. */
export const useRecipients = (customerId: number) => {
  const may = useMay();
  return useQuery({
    queryKey: ['webhooks', 'of bots', customerId],
    queryFn: async () => {
      const [page] = await ok(api.GET('/webhooks', { params: { query: { customerId, perPage: 200 } } }));
      return (page?.data ?? []).flatMap(({ id, name, botId }) => (botId === null ? [] : [{ id, name, botId }]));
    },
    enabled: may('manage_bots'),
  });
};

type RecipientsProps = {
  customerId: number;
  value: readonly Recipient[];
  onChange: (recipients: Recipient[]) => void;
  error: string | undefined;
};

export const Recipients = ({ customerId, value, onChange, error }: RecipientsProps) => {
  const { rules: texts, webhooks } = useTexts();
  const isAllowed = useMay()('manage_bots');
  const known = useRecipients(customerId);
  if (!isAllowed) return <Text>{`${texts.recipients}: ${texts.somebody(value.length)}. ${texts.mayNotChoose}`}</Text>;
  if (known.data?.length === 0 && value.length === 0)
    return (
      <Alert color={error === undefined ? 'yellow' : 'red'} title={texts.recipients}>
        {texts.noRecipients}{' '}
        <Anchor component={Link} href="/webhooks/new" inherit>
          {webhooks.create}
        </Anchor>
      </Alert>
    );
  const choose = (ids: readonly string[]) =>
    onChange(
      ids.flatMap((webhookId) => {
        const botId = known.data?.find(({ id }) => id === webhookId)?.botId;
        return botId === undefined ? value.filter((one) => one.webhookId === webhookId) : [{ botId, webhookId }];
      }),
    );
  // A rule may name a deleted webhook. It is shown by its id, and can be removed.
  const lost = value.filter(({ webhookId }) => !known.data?.some(({ id }) => id === webhookId));
  const options = [
    ...(known.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
    ...lost.map(({ webhookId }) => ({ value: webhookId, label: webhookId })),
  ];
  return (
    <MultiSelect
      label={texts.recipients}
      description={texts.recipientsHint}
      data={options}
      value={value.map(({ webhookId }) => webhookId)}
      onChange={choose}
      searchable
      withAsterisk
      maxValues={20}
      error={error}
    />
  );
};
