import { Alert, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { faultOf, ok, Problem } from '#lib/client/problem.ts';
import type { Subject } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { OidcButton } from '../session/oidc.tsx';
import { useTexts } from '../texts/texts.tsx';
import { Choice } from '../ui/choice.tsx';
import { useConfirm } from '../ui/confirm.tsx';
import { entered } from '../ui/entered.ts';
import { Form } from '../ui/form.tsx';
import { Section } from '../ui/section.tsx';
import { type Chosen, subjectOf, useIsSelf, useNameOf } from './chosen.ts';
import { SubjectFields } from './subject.tsx';
import { usePersonalDataTexts } from './texts.ts';

type What = 'export' | 'erasure';
type Job = { subject: Subject; reason: string; takePassword: () => string };

/** The key of the queries for the lists of jobs. */
const JOBS = ['personal data'];

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
    done: what === 'export' ? texts.exportStarted : texts.erasureStarted,
    refresh: what === 'erasure' ? [JOBS, ['users'], ['sensors'], ['customers'], ['me']] : [JOBS],
  });
};

/** Gives what is in a field, and empties it. */
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
      text: isSelf ? `${texts.confirm[chosen.kind]} ${texts.endsSession}` : texts.confirm[chosen.kind],
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

/** Why nothing began, unless a field says it. Whose login is too old is led to a new one, and back to this page. */
const Refusal = ({ error }: { error: unknown }) => {
  if (!(error instanceof Problem) || error.faults.length > 0) return null;
  return (
    <Alert color="red" role="alert">
      <Stack align="start">
        <Text>{error.message}</Text>
        {error.code === 'login_too_old' && <OidcButton prompt="login" />}
      </Stack>
    </Alert>
  );
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
    const hasBegun = await begin(what, form);
    if (hasBegun && what === 'erasure') choose({ ...chosen, id: null });
  };
  return (
    <Section title={texts.link}>
      <Form
        action={texts.actions[what]}
        isPending={isPending}
        onSubmit={(form) => void submit(form)}
        className="narrow"
      >
        <Choice label={texts.action} options={texts.actions} value={what} onChange={setWhat} />
        <SubjectFields customerId={customerId} chosen={chosen} onChange={choose} error={faultOf(error, 'subject.id')} />
        {what === 'erasure' && isSelf && <Alert color="yellow">{texts.endsSession}</Alert>}
        <TextInput
          name="reason"
          label={texts.reason}
          description={texts.reasonHint}
          required
          maxLength={256}
          error={faultOf(error, 'reason')}
        />
        <PasswordInput
          name="password"
          label={login.password}
          description={texts.passwordHint}
          autoComplete="current-password"
          error={faultOf(error, 'password')}
        />
        <Refusal error={error} />
      </Form>
    </Section>
  );
};
