import { useState } from 'react';
import { faultOf } from '#lib/client/problem.ts';

/** Form state: starts with the given values, and changes field by field. */
export const useDraft = <T extends object>(initial: T): readonly [T, (change: Partial<T>) => void] => {
  const [draft, setDraft] = useState(initial);
  return [draft, (change) => setDraft((before) => ({ ...before, ...change }))];
};

type NamesOf<T, V> = { [N in keyof T]-?: T[N] extends V ? N : never }[keyof T] & string;
type TextEvent = { currentTarget: { value: string } };
type CheckEvent = { currentTarget: { checked: boolean } };

/** Returns functions that bind inputs to draft fields. `error` is the API error for the draft. */
export const fieldsOf = <T extends object>(draft: T, change: (part: Partial<T>) => void, error: unknown = null) => {
  const set = (name: string, value: unknown) => change({ [name]: value } as Partial<T>);
  return {
    text: <N extends NamesOf<T, string>>(name: N) => ({
      value: draft[name] as string,
      onChange: ({ currentTarget }: TextEvent) => set(name, currentTarget.value),
      error: faultOf(error, name),
    }),
    /** Binds a text input whose empty value is null. */
    optionalText: <N extends NamesOf<T, string | null>>(name: N) => ({
      value: (draft[name] as string | null) ?? '',
      onChange: ({ currentTarget }: TextEvent) => set(name, currentTarget.value || null),
      error: faultOf(error, name),
    }),
    number: <N extends NamesOf<T, number>>(name: N) => ({
      value: draft[name] as number,
      onChange: (value: string | number) => set(name, Number(value)),
      error: faultOf(error, name),
      allowDecimal: false,
    }),
    /** Binds a number input whose empty value is null. */
    optionalNumber: <N extends NamesOf<T, number | null>>(name: N) => ({
      value: (draft[name] as number | null) ?? '',
      onChange: (value: string | number) => set(name, value === '' ? null : Number(value)),
      error: faultOf(error, name),
      allowDecimal: false,
    }),
    check: <N extends NamesOf<T, boolean>>(name: N) => ({
      checked: draft[name] as boolean,
      onChange: ({ currentTarget }: CheckEvent) => set(name, currentTarget.checked),
    }),
    /** Binds a select with the given labels. */
    choice: <N extends NamesOf<T, string>>(name: N, labels: Readonly<Record<string, string>>) => ({
      data: Object.entries(labels).map(([value, label]) => ({ value, label })),
      value: draft[name] as string,
      onChange: (value: string | null) => value !== null && set(name, value),
      error: faultOf(error, name),
      allowDeselect: false,
    }),
  };
};
