import { Alert, Anchor, MultiSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useMay } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { AddPerson, type Recipient, usePersonName } from './people.tsx';

/** The webhooks that a rule can tell, which are those of bots. Only users who may manage bots can see them. */
const useWebhooks = (customerId: number) => {
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

/** Gives a function that says who a recipient is; null: it is a webhook that the user does not see, or that is gone. */
export const useRecipientName = (customerId: number) => {
  const webhooks = useWebhooks(customerId).data;
  const personName = usePersonName(customerId);
  return (recipient: Recipient): string | null =>
    'webhookId' in recipient
      ? (webhooks?.find(({ id }) => id === recipient.webhookId)?.name ?? null)
      : personName(recipient);
};

const keyOf = (recipient: Recipient): string => {
  if ('webhookId' in recipient) return recipient.webhookId;
  return 'userId' in recipient ? `${recipient.userId} ${recipient.by}` : `duty ${recipient.by}`;
};

type RecipientsProps = {
  label?: string;
  customerId: number;
  value: readonly Recipient[];
  onChange: (recipients: Recipient[]) => void;
  /** Where they are in the rule, and what is wrong at a path of it. */
  path: string;
  errorOf: (path: string) => string | undefined;
};

const firstOf = (all: readonly (string | undefined)[]) => all.find((text) => text !== undefined);

const NoWebhooks = () => {
  const { rules: texts, webhooks } = useTexts();
  return (
    <Alert color="yellow" title={texts.recipients}>
      {texts.noRecipients}{' '}
      <Anchor component={Link} href="/webhooks/new" inherit>
        {webhooks.create}
      </Anchor>
    </Alert>
  );
};

/** Chooses whom a rule tells: webhooks of bots, and people. */
export const Recipients = ({ label, customerId, value, onChange, path, errorOf }: RecipientsProps) => {
  const { rules: texts } = useTexts();
  const isAllowed = useMay()('manage_bots');
  const known = useWebhooks(customerId).data ?? [];
  const nameOf = useRecipientName(customerId);
  const choices: Recipient[] = known.map(({ id: webhookId, botId }) => ({ botId, webhookId }));
  // A rule may name a deleted webhook. It is shown by its id, and can be removed.
  const all = new Map([...choices, ...value].map((recipient) => [keyOf(recipient), recipient]));
  const error = firstOf([path, ...value.map((_, at) => `${path}.${at}.webhookId`)].map(errorOf));
  const personError = firstOf(
    value.flatMap((_, at) => ['userId', 'by'].map((name) => errorOf(`${path}.${at}.${name}`))),
  );
  return (
    <Stack gap="sm">
      {isAllowed && known.length === 0 && <NoWebhooks />}
      <MultiSelect
        label={label ?? texts.recipients}
        description={isAllowed ? texts.recipientsHint : texts.onlyPeople}
        data={[...all].map(([key, recipient]) => ({ value: key, label: nameOf(recipient) ?? key }))}
        value={value.map(keyOf)}
        onChange={(keys) => onChange(keys.flatMap((key) => all.get(key) ?? []))}
        searchable
        withAsterisk
        maxValues={20}
        error={error}
      />
      <AddPerson
        customerId={customerId}
        onAdd={(recipient) =>
          onChange([...value.filter((other) => keyOf(other) !== keyOf(recipient)), recipient].slice(0, 20))
        }
        error={personError}
      />
    </Stack>
  );
};
