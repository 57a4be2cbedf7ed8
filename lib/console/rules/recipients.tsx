import { Alert, Anchor, MultiSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ok } from '#lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useCan } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { useWebhookTexts } from '../webhooks/texts.ts';
import { AddPerson, type Recipient, usePersonName } from './people.tsx';

/** Returns the query for bot webhooks, the only webhooks a rule can notify. Only users who can manage bots see them. */
const useWebhooks = (customerId: number) => {
  const can = useCan();
  return useQuery({
    queryKey: ['webhooks', 'of bots', customerId],
    queryFn: async () => {
      const [page] = await ok(api.GET('/webhooks', { params: { query: { customerId, perPage: 200 } } }));
      return (page?.data ?? []).flatMap(({ id, name, botId }) => (botId === null ? [] : [{ id, name, botId }]));
    },
    enabled: can('manage_bots'),
  });
};

/**
 * Returns a function that names recipients. It returns null for a webhook that was deleted or that the user cannot see.
 */
export const useRecipientName = (customerId: number) => {
  const webhooks = useWebhooks(customerId).data;
  const personName = usePersonName(customerId);
  return (recipient: Recipient): string | null =>
    'webhookId' in recipient
      ? (webhooks?.find(({ id }) => id === recipient.webhookId)?.name ?? null)
      : personName(recipient);
};

const recipientKey = (recipient: Recipient): string => {
  if ('webhookId' in recipient) return recipient.webhookId;
  return 'userId' in recipient ? `${recipient.userId} ${recipient.by}` : `duty ${recipient.by}`;
};

type RecipientsProps = {
  label?: string;
  customerId: number;
  value: readonly Recipient[];
  onChange: (recipients: Recipient[]) => void;
  /** The path of the recipients in the rule. */
  path: string;
  errorOf: (path: string) => string | undefined;
};

const firstOf = (texts: readonly (string | undefined)[]) => texts.find((text) => text !== undefined);

const NoWebhooks = () => {
  const webhooks = useWebhookTexts();
  const { rules: texts } = useTexts();
  return (
    <Alert color="yellow" title={texts.recipients}>
      {texts.noRecipients}{' '}
      <Anchor component={Link} href="/webhooks/new" inherit>
        {webhooks.create}
      </Anchor>
    </Alert>
  );
};

/** Recipient fields for a rule: bot webhooks, and people. */
export const Recipients = ({ label, customerId, value, onChange, path, errorOf }: RecipientsProps) => {
  const { rules: texts } = useTexts();
  const isAllowed = useCan()('manage_bots');
  const webhooks = useWebhooks(customerId).data ?? [];
  const nameOf = useRecipientName(customerId);
  const choices: Recipient[] = webhooks.map(({ id: webhookId, botId }) => ({ botId, webhookId }));
  // A deleted webhook may still be in the rule. Its id is shown, so the user can remove it.
  const options = new Map([...choices, ...value].map((recipient) => [recipientKey(recipient), recipient]));
  const error = firstOf([path, ...value.map((_, at) => `${path}.${at}.webhookId`)].map(errorOf));
  const personError = firstOf(
    value.flatMap((_, at) => ['userId', 'by'].map((name) => errorOf(`${path}.${at}.${name}`))),
  );
  return (
    <Stack gap="sm">
      {isAllowed && webhooks.length === 0 && <NoWebhooks />}
      <MultiSelect
        label={label ?? texts.recipients}
        description={isAllowed ? texts.recipientsHint : texts.onlyPeople}
        data={[...options].map(([key, recipient]) => ({ value: key, label: nameOf(recipient) ?? key }))}
        value={value.map(recipientKey)}
        onChange={(keys) => onChange(keys.flatMap((key) => options.get(key) ?? []))}
        searchable
        withAsterisk
        maxValues={20}
        error={error}
      />
      <AddPerson
        customerId={customerId}
        onAdd={(recipient) =>
          onChange(
            [...value.filter((other) => recipientKey(other) !== recipientKey(recipient)), recipient].slice(0, 20),
          )
        }
        error={personError}
      />
    </Stack>
  );
};
