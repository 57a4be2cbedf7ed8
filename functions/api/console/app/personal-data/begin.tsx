import { Alert, PasswordInput, TextInput } from '@mantine/core';
import type { Subject } from 'openapi';
import { useRef, useState } from 'react';
import { faultOf, ok } from '../../../../../lib/client/problem.ts';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { entered } from '../ui/entered.ts';
import { Form } from '../ui/form.tsx';
import { Section } from '../ui/section.tsx';
import { type Chosen, subjectOf, useIsSelf, useNameOf } from './chosen.ts';
import { Refusal } from './refusal.tsx';
import { SubjectFields } from './subject.tsx';
import { usePersonalDataTexts } from './texts.ts';

type What = 'export' | 'erasure';
type Job = { subject: Subject; reason: string; takePassword: () => string };

const useJob = (customerId: number, what: What) => {
  const texts = usePersonalDataTexts();
  const params = { path: { customerId } };
  return useWrite({
    // What a mutation is called with is kept for minutes: the password is taken out of its field only here.
    send: ({ takePassword, ...rest }: Job) => {
      const body = { ...rest, password: takePassword() };
      return what === 'export'
        ? ok(api.POST('/customers/{customerId}/exports', { params, body }))
        : ok(api.POST('/customers/{customerId}/erasures', { params, body }));
    },
    isQuiet: true,
    done: what === 'export' ? texts.begun : texts.erasing,
    refresh: [['personal data'], ...(what === 'erasure' ? [['users'], ['sensors'], ['customers'], ['me']] : [])],
  });
};

const takeFrom = (form: HTMLFormElement, name: string): string => {
  const field = form.elements.namedItem(name) as HTMLInputElement;
  const { value } = field;
  field.value = '';
  return value;
};

/** Gives what begins a job, after a question if it erases. While it asks or waits, nothing else begins. */
const useBegin = (customerId: number, chosen: Chosen) => {
  const texts = usePersonalDataTexts();
  const confirm = useConfirm();
  const name = useNameOf(customerId, chosen);
  const isSelf = useIsSelf(customerId, chosen);
  const jobs = { export: useJob(customerId, 'export'), erasure: useJob(customerId, 'erasure') };
  const isBusy = useRef(false);
  const isSure = () =>
    confirm({
      title: texts.confirmTitle(name),
      text: [texts.confirm[chosen.kind], ...(isSelf ? [texts.endsSession] : [])].join(' '),
      action: texts.actions.erasure,
    });
  /** Has it begun? */
  const begin = async (what: What, form: HTMLFormElement): Promise<boolean> => {
    const subject = subjectOf(customerId, chosen);
    if (!subject || isBusy.current) return false;
    isBusy.current = true;
    try {
      if (what === 'erasure' && !(await isSure())) return false;
      const job = { subject, ...entered(form, 'reason'), takePassword: () => takeFrom(form, 'password') };
      await jobs[what].mutateAsync(job);
      takeFrom(form, 'reason');
      return true;
    } catch {
      // The form shows why.
      return false;
    } finally {
      isBusy.current = false;
    }
  };
  return { jobs, begin };
};

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
    <Section title={texts.begin}>
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
