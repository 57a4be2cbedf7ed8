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
import { fieldValues } from '../ui/field-values.ts';
import { Form } from '../ui/form.tsx';
import { Section } from '../ui/section.tsx';
import { SubjectFields } from './subject.tsx';
import { type SubjectChoice, subjectOf, useIsSelf, useNeedsApproval, useSubjectName } from './subject-choice.ts';
import { usePersonalDataTexts } from './texts.ts';

type Kind = 'export' | 'erasure';
type Job = { subject: Subject; reason: string; takePassword: () => string };

/** The key prefix for job queries. */
const JOBS = ['personal data'];

const useJob = (customerId: number, kind: Kind, isRequest: boolean) => {
  const texts = usePersonalDataTexts();
  const erasing = isRequest ? texts.erasureRequested : texts.erasureStarted;
  const params = { path: { customerId } };
  return useWrite({
    // Mutation arguments stay in memory for minutes, so the password is not read from its field until this point.
    send: ({ takePassword, ...rest }: Job) => {
      const body = { ...rest, password: takePassword() };
      return kind === 'export'
        ? ok(api.POST('/customers/{customerId}/exports', { params, body }))
        : ok(api.POST('/customers/{customerId}/erasures', { params, body }));
    },
    isQuiet: true,
    done: kind === 'export' ? texts.exportStarted : erasing,
    refresh: kind === 'erasure' ? [JOBS, ['users'], ['sensors'], ['customers'], ['me']] : [JOBS],
  });
};

/** Returns a field value, and clears the field. */
const takeFrom = (form: HTMLFormElement, name: string): string => {
  const field = form.elements.namedItem(name) as HTMLInputElement;
  const { value } = field;
  field.value = '';
  return value;
};

/**
 * Returns a function that starts a job, after confirmation if the job erases data. Only one job can start at a time.
 */
const useStartJob = (customerId: number, chosen: SubjectChoice) => {
  const texts = usePersonalDataTexts();
  const confirm = useConfirm();
  const name = useSubjectName(customerId, chosen);
  const isRequest = useNeedsApproval(chosen);
  const jobs = { export: useJob(customerId, 'export', false), erasure: useJob(customerId, 'erasure', isRequest) };
  const isBusy = useRef(false);
  const isSure = () =>
    confirm({
      title: texts.confirmTitle(name),
      text: isRequest ? texts.confirmRequest : texts.confirm[chosen.kind],
      action: isRequest ? texts.requestErasure : texts.actions.erasure,
    });
  /** Resolves to whether the job has started. */
  const start = async (kind: Kind, form: HTMLFormElement): Promise<boolean> => {
    const subject = subjectOf(customerId, chosen);
    if (!subject || isBusy.current) return false;
    isBusy.current = true;
    try {
      if (kind === 'erasure' && !(await isSure())) return false;
      const job = { subject, ...fieldValues(form, 'reason'), takePassword: () => takeFrom(form, 'password') };
      await jobs[kind].mutateAsync(job);
      takeFrom(form, 'reason');
      return true;
    } catch {
      // The form shows the error.
      return false;
    } finally {
      isBusy.current = false;
    }
  };
  return { jobs, start };
};

/** Why a job did not start, unless a field shows it. If the login is too old, a button leads to a new login. */
const StartError = ({ error }: { error: unknown }) => {
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

/** The form that starts an export or, after confirmation, an erasure. */
export const StartJob = ({ customerId, initial }: { customerId: number; initial: SubjectChoice }) => {
  const texts = usePersonalDataTexts();
  const { login } = useTexts();
  const [kind, setKind] = useState<Kind>('export');
  const [chosen, choose] = useState(initial);
  const { jobs, start } = useStartJob(customerId, chosen);
  const isOwnErasure = useIsSelf(chosen) && kind === 'erasure';
  const isRequest = useNeedsApproval(chosen) && kind === 'erasure';
  const { error, isPending } = jobs[kind];
  const submit = async (form: HTMLFormElement) => {
    const hasStarted = await start(kind, form);
    if (hasStarted && kind === 'erasure') choose({ ...chosen, id: null });
  };
  return (
    <Section title={texts.link}>
      <Form
        action={isRequest ? texts.requestErasure : texts.actions[kind]}
        isPending={isPending}
        isDisabled={isOwnErasure}
        onSubmit={(form) => void submit(form)}
        className="narrow"
      >
        <Choice label={texts.action} options={texts.actions} value={kind} onChange={setKind} />
        <SubjectFields customerId={customerId} chosen={chosen} onChange={choose} error={faultOf(error, 'subject.id')} />
        {isRequest && <Text size="sm">{texts.needsApproval}</Text>}
        {isOwnErasure && <Alert color="yellow">{texts.notYourself}</Alert>}
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
        <StartError error={error} />
      </Form>
    </Section>
  );
};
