import { Badge, NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useLocale, useTexts } from '#lib/console/texts/texts.tsx';
import { english } from './english.ts';
import { german } from './german.ts';
import type { Field } from './schema.ts';

/** Returns the field label and description in the user's language. */
const useDescription = ({ name, note }: Field): readonly [label: string, note: string] => {
  const texts = useLocale() === 'de' ? german : english;
  // A newer service may have fields unknown to this page.
  return texts[name] ?? [name, note];
};

/** Returns a choice with its meaning, if the description contains one, as in "0 off, 1 on". */
const meaningOf = (choice: string | number, note: string): string => {
  const [, meaning] = new RegExp(`(?:^|[ :,])${choice} ([^,;]+)`).exec(note) ?? [];
  return meaning === undefined ? String(choice) : `${choice}: ${meaning}`;
};

/** Returns the hint for a field: description, range and default. */
const useHint = ({ note, byDefault, min, max, kind }: Field): string => {
  const { sensor, yes, no, none } = useTexts();
  const { config: texts } = sensor;
  const defaultText = (): string => {
    if (typeof byDefault === 'boolean') return byDefault ? yes : no;
    return [byDefault].flat().join(', ') || none;
  };
  const range =
    kind === 'number' && min !== undefined && max !== undefined ? texts.range(String(min), String(max)) : '';
  return [note, range, texts.byDefault(defaultText())].filter(Boolean).join(' · ');
};

const Support = ({ field: { from, until }, firmware }: { field: Field; firmware: number }) => {
  const { config: texts } = useTexts().sensor;
  if (from !== undefined && firmware < from) return <Badge color="yellow">{texts.needs(from)}</Badge>;
  if (until !== undefined && firmware >= until) return <Badge color="yellow">{texts.until(until)}</Badge>;
  return null;
};

type InputProps = {
  field: Field;
  value: unknown;
  error: string | undefined;
  onChange: (value: unknown) => void;
  firmware: number;
};

/** An input for a configuration field, with a hint, and a badge if the firmware does not support the field. */
export const Input = ({ field, value, error, onChange, firmware }: InputProps) => {
  const { config: texts } = useTexts().sensor;
  const { kind, choices, isNullable, min, max } = field;
  const [title, note] = useDescription(field);
  const label = (
    <>
      {title} <Support field={field} firmware={firmware} />
    </>
  );
  const common = { label, description: useHint({ ...field, note }), error };
  if (kind === 'switch')
    return (
      <Switch {...common} checked={value === true} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
    );
  if (kind === 'choice')
    return (
      <NativeSelect
        {...common}
        value={String(value)}
        onChange={({ currentTarget }) => onChange(choices.find((choice) => String(choice) === currentTarget.value))}
        data={choices.map((choice) => ({ value: String(choice), label: meaningOf(choice, note) }))}
      />
    );
  if (kind === 'number')
    return (
      <NumberInput
        {...common}
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
        allowDecimal={false}
        placeholder={isNullable ? texts.global : ''}
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => onChange(next === '' ? null : Number(next))}
      />
    );
  if (kind === 'lines')
    return (
      <Textarea
        {...common}
        rows={3}
        value={[value].flat().join('\n')}
        onChange={({ currentTarget }) => onChange(currentTarget.value.split('\n').filter(Boolean))}
      />
    );
  return (
    <TextInput
      {...common}
      value={String(value ?? '')}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
};
