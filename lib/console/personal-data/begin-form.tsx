import { Alert, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { faultOf } from '#lib/client/problem.ts';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { Form } from '../ui/form.tsx';
import { Section } from '../ui/section.tsx';
import { type Chosen, useIsSelf } from './chosen.ts';
import { Refusal } from './refusal.tsx';
import { SubjectFields } from './subject.tsx';
import { usePersonalDataTexts } from './texts.ts';
import { useBegin, type What } from './use-begin.ts';

/** Begins an export, or after a question an erasure. */
export const Begin = ({ customerId, at }: { customerId: number; at: Chosen }) => {
  const texts = usePersonalDataTexts();
  const { login } = useTexts();
  const [what, setWhat] = useState<What>('export');
  const [chosen, choose] = useState(at);
  const { jobs, begin } = useBegin(customerId, chosen);
  const isSelf = useIsSelf(customerId, chosen);
  const { error, isPending } = jobs[what];
  const submit = async (form: HTMLFormElement) => {
    if ((await begin(what, form)) && what === 'erasure') choose({ ...chosen, id: null });
  };
  return (
    <Section title={texts.link}>
      <Form {...{ action: texts.actions[what], isPending }} onSubmit={(form) => void submit(form)} className="narrow">
        <Choice label={texts.what} options={texts.actions} value={what} onChange={setWhat} />
        <SubjectFields {...{ customerId, chosen }} onChange={choose} error={faultOf(error, 'subject.id')} />
        {what === 'erasure' && isSelf && <Alert color="yellow">{texts.endsSession}</Alert>}
        <TextInput
          {...{ name: 'reason', label: texts.reason, description: texts.reasonHint, required: true, maxLength: 256 }}
          error={faultOf(error, 'reason')}
        />
        <PasswordInput
          {...{ name: 'password', label: login.password, description: texts.passwordHint }}
          autoComplete="current-password"
          error={faultOf(error, 'password')}
        />
        <Refusal error={error} />
      </Form>
    </Section>
  );
};
