import { Button, Group, NumberInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Rule, RuleUpdate } from 'openapi';
import type { FormEvent } from 'react';
import { useLocation, useParams } from 'wouter';
import { api } from '../api/client.ts';
import { faultOf, ok } from '../api/problem.ts';
import { useWrite } from '../api/write.ts';
import { useMay } from '../session/session.tsx';
import { OfCustomer } from '../shell/of-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { Recipients } from './recipients.tsx';
import { Scope } from './scope.tsx';
import { Sentence } from './sentence.tsx';
import { ScheduleFields } from './week-grid.tsx';

const pathOf = (ruleId: number) => ({ params: { path: { ruleId } } });
const refresh = [['rules'], ['rule']];

const newRule: RuleUpdate = {
  ...{ name: '', title: '{situation}: {sensor}', message: '{situation} at {time}, {location}' },
  ...{ situation: 'fall_detected', sensorId: null, sensorGroupId: null, regionId: null, schedule: null },
  ...{ rateLimitSeconds: 60, includeSimulated: false, isEnabled: true, recipients: [] },
};

/** What of a rule can be changed. */
const draftOf = ({ id: _, customerId: __, createDate: ___, updateDate: ____, ...rest }: Rule): RuleUpdate => rest;

type EditorProps = { rule: Rule | null; customerId: number };
type FieldsProps = {
  draft: RuleUpdate;
  change: (part: Partial<RuleUpdate>) => void;
  fault: (path: string) => string | undefined;
};

const Said = ({ draft, change, fault }: FieldsProps) => {
  const { rules: texts } = useTexts();
  return (
    <>
      <TextInput
        label={texts.messageTitle}
        description={texts.placeholders}
        required
        maxLength={128}
        value={draft.title}
        onChange={({ currentTarget }) => change({ title: currentTarget.value })}
        error={fault('title')}
      />
      <Textarea
        label={texts.message}
        required
        maxLength={512}
        rows={3}
        value={draft.message}
        onChange={({ currentTarget }) => change({ message: currentTarget.value })}
        error={fault('message')}
      />
    </>
  );
};

const Limits = ({ draft, change, fault }: FieldsProps) => {
  const { rules: texts } = useTexts();
  return (
    <>
      <NumberInput
        label={texts.rest}
        description={texts.restHint}
        min={0}
        max={86_400}
        allowDecimal={false}
        value={draft.rateLimitSeconds}
        onChange={(value) => change({ rateLimitSeconds: Number(value) })}
        error={fault('rateLimitSeconds')}
      />
      <Switch
        label={texts.withSimulated}
        checked={draft.includeSimulated}
        onChange={({ currentTarget }) => change({ includeSimulated: currentTarget.checked })}
      />
      <Switch
        label={texts.isEnabled}
        checked={draft.isEnabled}
        onChange={({ currentTarget }) => change({ isEnabled: currentTarget.checked })}
      />
    </>
  );
};

const What = ({ draft, change, fault }: FieldsProps) => {
  const { rules: texts, setup, situations } = useTexts();
  return (
    <>
      <TextInput
        label={setup.name}
        required
        maxLength={64}
        value={draft.name}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        error={fault('name')}
      />
      <Select
        label={texts.situation}
        required
        data={Object.entries(situations).map(([value, label]) => ({ value, label }))}
        value={draft.situation}
        onChange={(situation) => situation && change({ situation: situation as Rule['situation'] })}
        searchable
        allowDeselect={false}
      />
    </>
  );
};

const Remove = ({ rule: { id, name } }: { rule: Rule }) => {
  const { rules: texts } = useTexts();
  const [, go] = useLocation();
  return (
    <DeleteButton
      name={name}
      text={texts.deleteText}
      send={() => ok(api.DELETE('/rules/{ruleId}', pathOf(id)))}
      refresh={[['rules']]}
      onDone={() => go('/rules')}
    />
  );
};

const useSave = ({ rule, customerId }: EditorProps) => {
  const { setup } = useTexts();
  const [, go] = useLocation();
  return useWrite({
    send: (body: RuleUpdate) =>
      rule
        ? ok(api.PUT('/rules/{ruleId}', { ...pathOf(rule.id), body }))
        : ok(api.POST('/rules', { body: { ...body, customerId } })),
    done: setup.saved,
    refresh,
    onDone: () => go('/rules'),
  });
};

const Form = ({ rule, customerId }: EditorProps) => {
  const { save: label } = useTexts();
  const [draft, change] = useDraft(rule ? draftOf(rule) : newRule);
  const save = useSave({ rule, customerId });
  const fault = (path: string) => faultOf(save.error, path);
  const fields = { draft, change, fault };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(draft);
  };
  return (
    <form onSubmit={submit} className="narrow">
      <Stack>
        <Sentence rule={draft} customerId={customerId} />
        <What {...fields} />
        <Scope customerId={customerId} rule={draft} onChange={change} faultOf={fault} />
        <ScheduleFields value={draft.schedule} onChange={(schedule) => change({ schedule })} />
        <Recipients
          customerId={customerId}
          value={draft.recipients}
          onChange={(recipients) => change({ recipients })}
          error={fault('recipients') ?? fault('recipients.0.webhookId')}
        />
        <Said {...fields} />
        <Limits {...fields} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const Editor = ({ rule, customerId }: EditorProps) => {
  const { rules: texts, setup } = useTexts();
  const isAllowed = useMay()('manage_rules');
  return (
    <>
      <Head title={rule?.name ?? texts.create} back={{ href: '/rules', label: texts.title }}>
        {rule && isAllowed && <Remove rule={rule} />}
      </Head>
      {isAllowed && <Form rule={rule} customerId={customerId} />}
      {!isAllowed && rule && <Sentence rule={draftOf(rule)} customerId={customerId} />}
      {!isAllowed && <Text mt="md">{setup.readOnly}</Text>}
    </>
  );
};

const Existing = ({ ruleId }: { ruleId: number }) => {
  const rule = useQuery({
    queryKey: ['rule', ruleId],
    queryFn: () => ok(api.GET('/rules/{ruleId}', pathOf(ruleId))),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  return <Loaded query={rule}>{(found) => <Editor rule={found} customerId={found.customerId} />}</Loaded>;
};

export const RulePage = () => {
  const { ruleId = '' } = useParams();
  if (ruleId === 'new')
    return <OfCustomer>{(customerId) => <Editor rule={null} customerId={customerId} />}</OfCustomer>;
  return <Existing key={ruleId} ruleId={Number(ruleId)} />;
};
