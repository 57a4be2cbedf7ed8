import { MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { useBots } from '../bots/bots.tsx';
import { useGroups } from '../groups/query.ts';
import { useCan } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { fieldsOf } from '../ui/draft.ts';
import { changeFormat, hasValidRetries, isForBots, isForChat, NO_FILTERS, type WebhookDraft } from './draft.ts';
import { useWebhookTexts } from './texts.ts';

type FieldsProps = {
  customerId: number;
  draft: WebhookDraft;
  change: (part: Partial<WebhookDraft>) => void;
  error: unknown;
};

type Situation = NonNullable<Webhook['situations']>[number];

/** Select fields for the events a customer webhook receives. If none are chosen, it receives all events. */
const Filters = ({ customerId, draft, change, error }: FieldsProps) => {
  const texts = useWebhookTexts();
  const { situations } = useTexts();
  const groups = useGroups(customerId);
  return (
    <>
      <MultiSelect
        label={texts.situations}
        placeholder={draft.situations === null ? texts.all : ''}
        data={Object.entries(situations).map(([value, label]) => ({ value, label }))}
        value={draft.situations ?? []}
        onChange={(chosen) => change({ situations: chosen.length > 0 ? (chosen as Situation[]) : null })}
        searchable
        clearable
        error={faultOf(error, 'situations')}
      />
      <Select
        label={texts.group}
        placeholder={texts.all}
        data={groups.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
        value={draft.sensorGroupId === null ? null : String(draft.sensorGroupId)}
        onChange={(id) => change({ sensorGroupId: id === null ? null : Number(id) })}
        clearable
        error={faultOf(error, 'sensorGroupId')}
      />
    </>
  );
};

const BotSelect = ({ customerId, draft, change, error }: FieldsProps) => {
  const texts = useWebhookTexts();
  const bots = useBots(customerId);
  if (bots.data?.length === 0) return <Text>{texts.noBots}</Text>;
  return (
    <Select
      label={texts.bot}
      required
      data={bots.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      value={draft.botId === null ? null : String(draft.botId)}
      onChange={(id) => change({ botId: id === null ? null : Number(id) })}
      searchable
      error={faultOf(error, 'botId')}
    />
  );
};

/** The choice between a bot webhook and a customer webhook. Each requires its own permission. */
const Kind = (props: FieldsProps) => {
  const { draft, change } = props;
  const texts = useWebhookTexts();
  const can = useCan();
  const choose = (kind: 'bot' | 'customer') => {
    if (kind === 'bot') return change({ isCustomerHook: false, botId: null, ...NO_FILTERS });
    const format = isForBots(draft.format) ? changeFormat(draft, 'full') : {};
    change({ isCustomerHook: true, botId: null, ...format });
  };
  return (
    <>
      <Choice
        label={texts.kind}
        isVertical
        options={{
          ...(can('manage_bots') && { bot: texts.kinds.bot }),
          ...(can('manage_customers') && { customer: texts.kinds.customer }),
        }}
        value={draft.isCustomerHook ? 'customer' : 'bot'}
        onChange={choose}
      />
      {draft.isCustomerHook ? <Filters {...props} /> : <BotSelect {...props} />}
    </>
  );
};

const RequestFields = ({ draft, change, error }: FieldsProps) => {
  const texts = useWebhookTexts();
  const isInvalid = !hasValidRetries(draft);
  return (
    <>
      {!isForChat(draft.format) && (
        <Select label={texts.auth} {...fieldsOf(draft, change, error).choice('authMethod', texts.auths)} />
      )}
      {!draft.isFetched && (
        <TextInput
          label={texts.retries}
          description={texts.retriesHint}
          placeholder="0, 5, 60, 600"
          value={draft.retries}
          onChange={({ currentTarget }) => change({ retries: currentTarget.value })}
          error={isInvalid ? texts.invalidRetries : faultOf(error, 'retrySchedule')}
        />
      )}
    </>
  );
};

export const WebhookFields = (props: FieldsProps) => {
  const { draft, change, error } = props;
  const texts = useWebhookTexts();
  const { setup } = useTexts();
  const field = fieldsOf(draft, change, error);
  const entries = Object.entries(texts.formats) as [WebhookDraft['format'], string][];
  const formats = Object.fromEntries(entries.filter(([format]) => !draft.isCustomerHook || !isForBots(format)));
  return (
    <Stack>
      <TextInput label={setup.name} required maxLength={64} {...field.text('name')} />
      <Choice
        label={texts.deliveryMethod}
        options={texts.deliveryMethods}
        value={draft.isFetched ? 'fetched' : 'posted'}
        onChange={(way) => change({ isFetched: way === 'fetched' })}
      />
      {draft.isFetched ? (
        <Text size="sm">{texts.fetchedHint}</Text>
      ) : (
        <TextInput
          type="url"
          label={texts.url}
          description={texts.urlHint}
          placeholder="https://"
          required
          maxLength={2_048}
          {...field.text('url')}
        />
      )}
      <Kind {...props} />
      <Choice
        label={texts.format}
        options={formats}
        value={draft.format}
        onChange={(format) => change(changeFormat(draft, format))}
      />
      <RequestFields {...props} />
    </Stack>
  );
};
