import { Button, Fieldset, NumberInput, Switch } from '@mantine/core';
import type { RuleUpdate } from '#openapi';
import { useTexts } from '../texts/texts.tsx';
import type { fieldsOf } from '../ui/draft.ts';
import { Recipients } from './recipients.tsx';

const MAX_STEPS = 5;
/** How long (s) a new step waits after the previous step by default. */
const STEP_DELAY = 300;

type Step = NonNullable<RuleUpdate['escalation']>[number];
type StepProps = {
  step: Step;
  number: number;
  customerId: number;
  onChange: (step: Step | null) => void;
  errorOf: (path: string) => string | undefined;
};

const StepFields = ({ step, number, customerId, onChange, errorOf }: StepProps) => {
  const { rules: texts } = useTexts();
  return (
    <Fieldset legend={texts.step(number)}>
      <NumberInput
        label={texts.after}
        min={30}
        max={86_400}
        allowDecimal={false}
        value={step.afterSeconds}
        onChange={(value) => onChange({ ...step, afterSeconds: Number(value) })}
        error={errorOf(`escalation.${number - 1}.afterSeconds`)}
      />
      <Recipients
        label={texts.recipientsOfStep}
        customerId={customerId}
        value={step.recipients}
        onChange={(recipients) => onChange({ ...step, recipients })}
        path={`escalation.${number - 1}.recipients`}
        errorOf={errorOf}
      />
      <Button variant="default" size="xs" mt="sm" onClick={() => onChange(null)}>
        {texts.removeStep}
      </Button>
    </Fieldset>
  );
};

type Props = {
  customerId: number;
  rule: RuleUpdate;
  onChange: (part: Partial<RuleUpdate>) => void;
  field: ReturnType<typeof fieldsOf<RuleUpdate>>;
  errorOf: (path: string) => string | undefined;
};

/** Escalation fields: whom a rule notifies when no one acknowledges the alarm. */
export const Escalation = ({ customerId, rule, onChange, field, errorOf }: Props) => {
  const { rules: texts } = useTexts();
  const { escalation = [] } = rule;
  const last = escalation.at(-1)?.afterSeconds ?? 0;
  const set = (at: number, step: Step | null) =>
    onChange({ escalation: step ? escalation.with(at, step) : escalation.toSpliced(at, 1) });
  const add = () => onChange({ escalation: [...escalation, { afterSeconds: last + STEP_DELAY, recipients: [] }] });
  return (
    <>
      {escalation.map((step, at) => (
        <StepFields
          // A step has no identity other than its position.
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no local state
          key={at}
          number={at + 1}
          step={step}
          customerId={customerId}
          onChange={(changed) => set(at, changed)}
          errorOf={errorOf}
        />
      ))}
      {escalation.length < MAX_STEPS && (
        <Button variant="default" onClick={add}>
          {texts.addStep}
        </Button>
      )}
      <NumberInput
        label={texts.repeat}
        description={texts.repeatHint}
        min={60}
        max={86_400}
        {...field.optionalNumber('repeatSeconds')}
      />
      {(escalation.length > 0 || rule.repeatSeconds !== null) && (
        <Switch label={texts.untilAcknowledged} {...field.check('untilAcknowledged')} />
      )}
    </>
  );
};
