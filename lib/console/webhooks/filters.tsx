import { MultiSelect, Select } from '@mantine/core';
import { faultOf } from '#lib/client/problem.ts';
import type { Webhook } from '#openapi';
import { useGroups } from '../groups/groups.tsx';
import { useTexts } from '../texts/texts.tsx';
import type { WebhookDraft } from './draft.ts';

export type FieldsProps = {
  customerId: number;
  draft: WebhookDraft;
  change: (part: Partial<WebhookDraft>) => void;
  error: unknown;
};

type Situation = NonNullable<Webhook['situations']>[number];

/** Lets the user choose which events a webhook of the customer is told of; nothing chosen: all of them. */
export const Filters = ({ customerId, draft, change, error }: FieldsProps) => {
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
