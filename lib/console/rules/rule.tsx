import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { Rule, RuleUpdate } from '#openapi';
import { hasRegions, kinds, type Situation } from '#shared/domain/kinds.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { AuditLink } from '../audit/link.tsx';
import { useCan } from '../session/session.tsx';
import { ReadOnly } from '../shell/refused.tsx';
import { WithCustomer } from '../shell/with-customer.tsx';
import { useTexts } from '../texts/texts.tsx';
import { DeleteButton } from '../ui/delete-button.tsx';
import { fieldsOf, useDraft } from '../ui/draft.ts';
import { useEditQuery } from '../ui/edit-query.ts';
import { Form } from '../ui/form.tsx';
import { Head } from '../ui/head.tsx';
import { Loaded } from '../ui/states.tsx';
import { CopyRule } from './copy-rule.tsx';
import { Escalation } from './escalation.tsx';
import { Recipients } from './recipients.tsx';
import { LimitFields, MessageFields, SituationFields } from './rule-fields.tsx';
import { RuleSummary } from './rule-summary.tsx';
import { Scope } from './scope.tsx';
import { TestRule } from './test-rule.tsx';
import { ScheduleFields } from './week-grid.tsx';

const pathOf = (ruleId: number) => ({ params: { path: { ruleId } } });
const refresh = [['rules'], ['rule']];

const isSituation = (text: string | null): text is Situation => text !== null && Object.hasOwn(kinds, text);

/** Returns a new rule. Its texts consist of placeholders, so that everyone reads them in their own language. */
const newRule = (situation: Situation): RuleUpdate => ({
  name: '',
  title: '{situation}: {sensor}',
  message: '{situation}, {time}, {location}',
  situation,
  sensorId: null,
  sensorGroupId: null,
  regionId: null,
  schedule: null,
  rateLimitSeconds: 60,
  includeSimulated: false,
  isEnabled: true,
  recipients: [],
  escalation: [],
  repeatSeconds: null,
  untilAcknowledged: true,
});

/** Returns the editable rule fields. */
const draftOf = ({ id: _, customerId: __, createDate: ___, updateDate: ____, ...rest }: Rule): RuleUpdate => rest;

/**
 * Returns a rule draft, and a function to change it. Choosing a situation without regions clears the region, because
 * the field is then hidden.
 */
const useRuleDraft = (initial: RuleUpdate) => {
  const [draft, change] = useDraft(initial);
  const set = (part: Partial<RuleUpdate>) =>
    change(part.situation && !hasRegions(part.situation) ? { ...part, regionId: null } : part);
  return [draft, set] as const;
};

/** Returns all recipient lists in a rule, with their paths. */
const recipientListsOf = ({ recipients, escalation = [] }: RuleUpdate) => [
  { path: 'recipients', recipients },
  ...escalation.map((step, at) => ({ path: `escalation.${at}.recipients`, recipients: step.recipients })),
];

type EditorProps = { rule: Rule | null; customerId: number };
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

const Fields = ({ rule, customerId }: EditorProps) => {
  const texts = useTexts();
  // A link may suggest a situation other than a fall.
  const suggested = useSearchParams()[0].get('situation');
  const [draft, change] = useRuleDraft(
    rule ? draftOf(rule) : newRule(isSituation(suggested) ? suggested : 'fall_detected'),
  );
  const save = useSave({ rule, customerId });
  const [isSubmitted, setSubmitted] = useState(false);
  const lacksRecipients = recipientListsOf(draft).some(({ recipients }) => recipients.length === 0);
  const fault = (path: string) => faultOf(save.error, path);
  const isEmpty = (path: string) =>
    recipientListsOf(draft).some((list) => list.path === path && list.recipients.length === 0);
  const errorOf = (path: string) => (isSubmitted && isEmpty(path) ? texts.rules.needsRecipient : fault(path));
  const submit = () => {
    setSubmitted(true);
    if (!lacksRecipients) save.mutate(draft);
  };
  const field = fieldsOf(draft, change, save.error);
  return (
    <Form action={texts.save} isPending={save.isPending} onSubmit={submit} className="narrow">
      <RuleSummary rule={draft} customerId={customerId} />
      <SituationFields field={field} />
      <Scope customerId={customerId} rule={draft} onChange={change} faultOf={fault} />
      <ScheduleFields value={draft.schedule} onChange={(schedule) => change({ schedule })} />
      <Recipients
        customerId={customerId}
        value={draft.recipients}
        onChange={(recipients) => change({ recipients })}
        path="recipients"
        errorOf={errorOf}
      />
      <Escalation customerId={customerId} rule={draft} onChange={change} field={field} errorOf={errorOf} />
      <MessageFields field={field} />
      <LimitFields field={field} />
    </Form>
  );
};

const Editor = ({ rule, customerId }: EditorProps) => {
  const { rules: texts } = useTexts();
  const isAllowed = useCan()('manage_rules');
  return (
    <>
      <Head title={rule?.name ?? texts.create} back={{ href: '/rules', label: texts.title }}>
        {rule && <AuditLink kind="rule" id={rule.id} />}
        {rule && isAllowed && <CopyRule rule={rule} />}
        {rule && isAllowed && <Remove rule={rule} />}
      </Head>
      {isAllowed && rule && <TestRule rule={rule} />}
      {isAllowed && <Fields rule={rule} customerId={customerId} />}
      {!isAllowed && rule && <RuleSummary rule={draftOf(rule)} customerId={customerId} />}
      {!isAllowed && <ReadOnly needs="manage_rules" />}
    </>
  );
};

const Existing = ({ ruleId }: { ruleId: number }) => {
  const rule = useEditQuery(['rule', ruleId], () => ok(api.GET('/rules/{ruleId}', pathOf(ruleId))));
  return <Loaded query={rule}>{(found) => <Editor rule={found} customerId={found.customerId} />}</Loaded>;
};

export const RulePage = () => {
  const { ruleId = '' } = useParams();
  if (ruleId === 'new')
    return <WithCustomer>{(customerId) => <Editor rule={null} customerId={customerId} />}</WithCustomer>;
  return <Existing key={ruleId} ruleId={Number(ruleId)} />;
};
