import { useRef } from 'react';
import { ok } from '#lib/client/problem.ts';
import type { Subject } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { useConfirm } from '../ui/confirm.tsx';
import { entered } from '../ui/entered.ts';
import { type Chosen, subjectOf, useIsSelf, useNameOf } from './chosen.ts';
import { usePersonalDataTexts } from './texts.ts';

export type What = 'export' | 'erasure';
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

/** Gives what is in a field, and empties it. */
const takeFrom = (form: HTMLFormElement, name: string): string => {
  const field = form.elements.namedItem(name) as HTMLInputElement;
  const { value } = field;
  field.value = '';
  return value;
};

/** Gives what begins a job, after a question if it erases. While it asks or waits, nothing else begins. */
export const useBegin = (customerId: number, chosen: Chosen) => {
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
