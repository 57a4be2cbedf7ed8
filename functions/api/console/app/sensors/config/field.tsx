import { Badge, NativeSelect, NumberInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '../../texts/texts.tsx';
import type { Field } from './schema.ts';

/** `fallingMitigatorEnabled` as people write it. */
const words = (name: string): string => {
  const spaced = name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};

/** What a choice means, as far as the description tells: "0 off, 1 on". */
const meaningOf = (choice: string | number, note: string): string => {
  const [, meaning] = new RegExp(`(?:^|[ :,])${choice} ([^,;]+)`).exec(note) ?? [];
  return meaning === undefined ? String(choice) : `${choice}: ${meaning}`;
};

/** What it is for, its default, its range. */
const useHint = ({ note, byDefault, min, max, kind }: Field): string => {
  const { sensor, yes, no, none } = useTexts();
  const { config: texts } = sensor;
  const said = typeof byDefault === 'boolean' ? (byDefault ? yes : no) : [byDefault].flat().join(', ') || none;
  const range =
    kind === 'number' && min !== undefined && max !== undefined ? texts.range(String(min), String(max)) : '';
  return [note, range, texts.byDefault(said)].filter(Boolean).join(' · ');
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

/** One field of a configuration, with what the contract says of it. */
export const Input = ({ field, value, error, onChange, firmware }: InputProps) => {
  const { config: texts } = useTexts().sensor;
  const { name, kind, choices, isNullable, min, max, note } = field;
  const label = (
    <>
      {words(name)} <Support field={field} firmware={firmware} />
    </>
  );
  const common = { label, description: useHint(field), error };
  if (kind === 'switch')
    return (
      <Switch {...common} checked={value === true} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
    );
  if (kind === 'choice')
    return (
      <NativeSelect
        {...common}
        value={String(value)}
        onChange={({ currentTarget }) => onChange(choices.find((one) => String(one) === currentTarget.value))}
        data={choices.map((one) => ({ value: String(one), label: meaningOf(one, note) }))}
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
  const lines = kind === 'lines' ? [value].flat().join('\n') : String(value ?? '');
  if (kind === 'lines')
    return (
      <Textarea
        {...common}
        rows={3}
        value={lines}
        onChange={({ currentTarget }) => onChange(currentTarget.value.split('\n').filter(Boolean))}
      />
    );
  return <TextInput {...common} value={lines} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
};
