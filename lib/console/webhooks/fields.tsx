import { MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { useBots } from '../bots/bots.tsx';
import { useGroups } from '../groups/groups.tsx';
import { useMay } from '../session/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { fieldsOf } from '../ui/draft.ts';
import { isForBots, isForChat, isGood, noFilters, toFormat, type WebhookDraft } from './draft.ts';

type FieldsProps = {
  customerId: number;
  draft: WebhookDraft;
  change: (part: Partial<WebhookDraft>) => void;
  error: unknown;
};

type Situation = NonNullable<Webhook['situations']>[number];

/** Lets the user choose which events a webhook of the customer is told of; nothing chosen: all of them. */
const Filters = ({ customerId, draft, change, error }: FieldsProps) => {
  const { webhooks: texts, situations } = useTexts();
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
  const { webhooks: texts } = useTexts();
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

/** Lets the user choose between a webhook of a bot and one of the customer; each needs its own permission. */
const Kind = (props: FieldsProps) => {
  const { draft, change } = props;
  const { webhooks: texts } = useTexts();
  const may = useMay();
  const choose = (kind: 'bot' | 'customer') => {
    if (kind === 'bot') return change({ isCustomerHook: false, botId: null, ...noFilters });
    const format = isForBots(draft.format) ? toFormat(draft, 'full') : {};
    change({ isCustomerHook: true, botId: null, ...format });
  };
  return (
    <>
      <Choice
        label={texts.kind}
        isVertical
        options={{
          ...(may('manage_bots') && { bot: texts.kinds.bot }),
          ...(may('manage_customers') && { customer: texts.kinds.customer }),
        }}
        value={draft.isCustomerHook ? 'customer' : 'bot'}
        onChange={choose}
      />
      {draft.isCustomerHook ? <Filters {...props} /> : <BotSelect {...props} />}
    </>
  );
};

const HowSent = ({ draft, change, error }: FieldsProps) => {
  const { webhooks: texts } = useTexts();
  const isWrong = !isGood(draft);
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
          error={isWrong ? texts.invalidRetries : faultOf(error, 'retrySchedule')}
        />
      )}
    </>
  );
};

/** The fields of a webhook. */
export const WebhookFields = (props: FieldsProps) => {
  const { draft, change, error } = props;
  const { webhooks: texts, setup } = useTexts();
  const field = fieldsOf(draft, change, error);
  const all = Object.entries(texts.formats) as [WebhookDraft['format'], string][];
  const formats = Object.fromEntries(all.filter(([format]) => !draft.isCustomerHook || !isForBots(format)));
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
        onChange={(format) => change(toFormat(draft, format))}
      />
      <HowSent {...props} />
    </Stack>
  );
};
