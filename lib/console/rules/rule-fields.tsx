import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { RuleUpdate } from '#openapi';
import { useTexts } from '../texts/texts.tsx';
import type { fieldsOf } from '../ui/draft.ts';

type FieldsProps = { field: ReturnType<typeof fieldsOf<RuleUpdate>> };

/** Fields for the message title and text. */
export const MessageFields = ({ field }: FieldsProps) => {
  const { rules: texts } = useTexts();
  return (
    <>
      <TextInput
        label={texts.messageTitle}
        description={texts.placeholders}
        required
        maxLength={128}
        {...field.text('title')}
      />
      <Textarea label={texts.message} required maxLength={512} rows={3} {...field.text('message')} />
    </>
  );
};

/** Fields for the rate limit, simulated falls, and whether the rule is enabled. */
export const LimitFields = ({ field }: FieldsProps) => {
  const { rules: texts } = useTexts();
  return (
    <>
      <NumberInput
        label={texts.pause}
        description={texts.pauseHint}
        min={0}
        max={86_400}
        {...field.number('rateLimitSeconds')}
      />
      <Switch label={texts.withSimulated} {...field.check('includeSimulated')} />
      <Switch label={texts.isEnabled} {...field.check('isEnabled')} />
    </>
  );
};

/** Fields for the rule name and the situation. */
export const SituationFields = ({ field }: FieldsProps) => {
  const { rules: texts, setup, situations } = useTexts();
  return (
    <>
      <TextInput label={setup.name} required maxLength={64} {...field.text('name')} />
      <Select label={texts.situation} required searchable {...field.choice('situation', situations)} />
    </>
  );
};
